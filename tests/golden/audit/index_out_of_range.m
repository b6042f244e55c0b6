-- An index outside its type is an error.
-- reason: index 4 is outside 0..3
-- states: 5
-- fired: 4
-- verdict: violated
-- verdict: fault "index" violated

var a: array [0..3] of boolean; i: 0..5;
startstate begin clear a; i := 0; end;
rule "look" !a[i] ==> begin i := i + 1; end;
