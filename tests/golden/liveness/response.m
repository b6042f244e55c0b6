-- A response that weak fairness brings about.
-- rumur: no, the words are ours
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..3;
startstate begin x := 0; end;
fair rule "up" begin x := (x + 1) % 4; end;
liveness "response" x = 1 LEADSTO x = 3;
