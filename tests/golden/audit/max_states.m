-- A bound on states leaves the verdict open.
-- max-states: 10
-- rumur: no, it bounds depth, not states
-- states: 10
-- fired: 10
-- verdict: unknown

var x: 0..100;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % 101; end;
invariant "any" x >= 0;
