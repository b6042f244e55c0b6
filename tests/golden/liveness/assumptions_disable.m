-- A step out of the model is none, so its action is not enabled, and the run may stay.
-- deadlock: off
-- states: 2
-- verdict: liveness "moves" violated
var x : 0..2;
startstate begin x := 0; end;
fair rule "move" begin x := (x + 1) % 3; end;
assume "small" x < 2;
liveness "moves" x = 1 LEADSTO x = 0;
