-- Once past the fork, three cannot be reached.
-- states: 6
-- fired: 8
-- verdict: violated
-- verdict: liveness "three again" violated

var x: 0..5;
startstate begin x := 0; end;
rule "low" x < 3 ==> begin x := (x + 1) % 3; end;
rule "fork" x = 0 ==> begin x := 3; end;
rule "home" x = 3 ==> begin x := 0; end;
rule "trap" x = 3 ==> begin x := 4; end;
rule "turn" x > 3 ==> begin x := 9 - x; end;
liveness "three again" x = 3;
