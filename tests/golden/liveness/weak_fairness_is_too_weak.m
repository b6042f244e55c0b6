-- What is enabled again and again need not be taken under weak fairness.
-- deadlock: off
-- verdict: liveness "moves" violated
var x, y : boolean;
startstate begin x := false; y := false; end;
fair rule "move" !x & y ==> begin x := true; end;
fair rule "flip" begin y := !y; end;
liveness "moves" !x LEADSTO x;
