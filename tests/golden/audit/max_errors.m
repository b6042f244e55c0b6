-- More than one violation can be asked for.
-- max-errors: 100
-- deadlock: off
-- rumur: no, it stops counting otherwise
-- states: 10
-- fired: 9
-- verdict: violated
-- verdict: invariant "not three" violated
-- verdict: invariant "not five" violated

var x: 0..9;
startstate begin x := 0; end;
rule "up" x < 9 ==> begin x := x + 1; end;
invariant "not three" x != 3;
invariant "not five" x != 5;
