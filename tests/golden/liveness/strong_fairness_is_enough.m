-- What is enabled again and again is taken in the end under strong fairness.
-- deadlock: off
-- verdict: holds
-- verdict: liveness "moves" holds
var x, y : boolean;
startstate begin x := false; y := false; end;
strong fair rule "move" !x & y ==> begin x := true; end;
fair rule "flip" begin y := !y; end;
liveness "moves" !x LEADSTO x;
