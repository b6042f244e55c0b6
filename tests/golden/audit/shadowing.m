-- Inner names hide outer ones.
-- rumur: no, its C code does not compile
-- states: 7
-- fired: 17
-- verdict: holds

var x: 0..3; i: 0..1;
startstate begin x := 0; i := 0; end;
ruleset i : 2..3 do
  rule "outer is hidden" x != i ==> begin x := i; for i : 0..1 do x := x; end; end;
end;
rule "outer again" begin x := i; i := 1 - i; end;
