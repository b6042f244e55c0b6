-- A rule that others of a smaller number keep from firing is not enabled there.
-- deadlock: off
-- verdict: liveness "moves" violated
var x, y : boolean;
startstate begin x := false; y := false; end;
rule 1 "flip" begin y := !y; end;
fair rule 2 "move" !x ==> begin x := true; end;
liveness "moves" !x LEADSTO x;
