-- Without a start state, nothing is reachable and every invariant holds.
-- states: 0
-- fired: 0
-- verdict: holds

var x: 0..3;
rule x < 3 ==> begin x := x + 1; end;
invariant "vacuous" false; --~ warning: the model has no start state
