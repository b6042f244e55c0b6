-- Nothing is enabled in the last state, and nobody minds.
-- deadlock: off
-- states: 3
-- fired: 2
-- verdict: holds

var x: 0..2;
startstate begin x := 0; end;
rule "up" x < 2 ==> begin x := x + 1; end;
