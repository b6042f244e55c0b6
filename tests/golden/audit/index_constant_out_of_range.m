-- A constant index is checked when it is used, not before.
-- states: 4
-- fired: 3
-- verdict: violated
-- verdict: fault "index" violated

var a: array [0..3] of boolean; i: 0..5;
startstate begin clear a; i := 0; end;
rule "look" i = 3 ==> begin a[7] := true; end;
rule "step" i < 3 ==> begin i := i + 1; end;
