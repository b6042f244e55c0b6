-- A self-loop is no deadlock when only stuck states are.
-- deadlock: stuck
-- states: 3
-- fired: 5
-- verdict: holds

var x: 0..2;
startstate begin x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
rule "stay" begin x := x; end;
