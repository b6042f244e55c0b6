-- All errors are found in one run.

var x: 0..3;
startstate begin
  y := z + w; --~ error: there is no `y` here --~ error: there is no `z` here
  if a then b := 1; else c := 2; end; --~ error: there is no `a` here --~ error: there is no `b` here --~ error: there is no `c` here
end;
ruleset i : nothing do --~ error: there is no type `nothing`
  rule i = 1 & d ==> begin x := i; end; --~ error: there is no `d` here
end;
