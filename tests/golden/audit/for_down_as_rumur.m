-- Without a step, Rumur counts down where the end comes first.
-- compat: rumur
-- states: 2
-- fired: 2
-- verdict: violated
-- verdict: deadlock "deadlock" violated

var x: 0..9; n: 0..3;
startstate begin x := 0; n := 1; end;
rule "down" begin x := 0; for i := 3 to n do x := x + i; end; end;
invariant "all or nothing" x = 0 | x = 6;
