-- What stays enabled is taken in the end.
-- deadlock: off
-- states: 4
-- verdict: holds
-- verdict: liveness "moves" holds
var x, y : boolean;
startstate begin x := false; y := false; end;
fair rule "move" !x ==> begin x := true; end;
rule "flip" begin y := !y; end;
liveness "moves" !x LEADSTO x;
