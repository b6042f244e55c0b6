-- A state with only a self-loop is a deadlock by default.
-- states: 3
-- fired: 5
-- verdict: violated
-- verdict: deadlock "deadlock" violated

var x: 0..2;
startstate begin x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
rule "stay" begin x := x; end;
