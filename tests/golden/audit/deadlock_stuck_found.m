-- Nothing is enabled in the last state.
-- deadlock: stuck
-- states: 3
-- fired: 2
-- verdict: violated
-- verdict: deadlock "deadlock" violated

var x: 0..2;
startstate begin x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
