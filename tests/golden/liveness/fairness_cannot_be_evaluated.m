-- Fairness that fails leaves the responses open.
-- deadlock: off
-- verdict: unknown
-- verdict: liveness "moves" unknown
-- reason: fairness could not be evaluated
var x : 0..2;
startstate begin x := 1; end;
fair rule "move" begin x := (x + 1) % 3; end;
fair "odd" 2 / x = 1;
liveness "moves" x = 1 LEADSTO x = 0;
