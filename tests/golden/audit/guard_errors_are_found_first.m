-- An error in a guard is one even where the body would not run.
-- states: 4
-- fired: 3
-- verdict: violated
-- verdict: fault "index" violated

var a: array [0..2] of 0..2; i: 0..3;
startstate begin for k : 0..2 do a[k] := 0; end; i := 0; end;
rule "walk" i < 3 ==> begin i := i + 1; end;
rule "look" a[i] = 1 ==> begin i := 0; end;
