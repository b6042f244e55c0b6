-- Nothing is fair, so a run may stay where it is.
-- deadlock: off
-- states: 2
-- verdict: violated
-- verdict: liveness "moves" violated
var x : boolean;
startstate begin x := false; end;
rule "move" !x ==> begin x := true; end;
liveness "moves" !x LEADSTO x;
