-- Guards, conditions and properties are boolean.

var x: 0..3;
startstate begin
  if x then x := 1; elsif 3 then x := 2; end; --~ error: the condition of `if` must be boolean
  while x do x := 1; end; --~ error: the condition of `while` must be boolean
  assert x; --~ error: the condition must be boolean
end;
rule x ==> begin x := 0; end; --~ error: the guard must be boolean
invariant x + 1; --~ error: a property must be boolean
liveness x CANGETTO true; --~ error: a property must be boolean
fair x; --~ error: a fairness condition must be boolean
