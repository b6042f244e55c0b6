-- Helpful rules alone must do it; the only way out is unhelpful.
-- rumur: no, the words are ours
-- states: 4
-- fired: 6
-- verdict: violated
-- verdict: liveness "out" violated

var x: 0..3;
startstate begin x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
rule "down" x > 0 ==> begin x := x - 1; end;
unhelpful rule "leave" x = 2 ==> begin x := 3; end;
liveness "back" x = 2 CANGETTO x = 0;
liveness "out" x = 0 CANGETTO x = 3;
