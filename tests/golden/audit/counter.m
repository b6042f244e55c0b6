-- Two rules count up and down.
-- states: 5
-- fired: 8
-- verdict: holds

var x: 0..4;
startstate "zero" begin x := 0; end;
rule "up" x < 4 ==> begin x := x + 1; end;
rule "down" x > 0 ==> begin x := x - 1; end;
invariant "in range" x >= 0 & x <= 4;
