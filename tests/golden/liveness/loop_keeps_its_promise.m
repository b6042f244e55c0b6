-- A fair step that leaves the state unchanged is a step, and taking it for ever is fair.
-- deadlock: off
-- verdict: liveness "moves" violated
var x : boolean;
startstate begin x := false; end;
strong fair rule "think" !x ==> begin x := false; end;
rule "move" !x ==> begin x := true; end;
liveness "moves" !x LEADSTO x;
