-- A target that fails is an error of the model, and nothing is said of the response.
-- deadlock: off
-- max-errors: 9
-- verdict: violated
-- verdict: fault "division_by_zero" violated
-- verdict: liveness "moves" unknown
var x : 0..2;
startstate begin x := 1; end;
fair rule "move" begin x := (x + 1) % 3; end;
liveness "moves" x = 1 LEADSTO 2 / x = 1;
