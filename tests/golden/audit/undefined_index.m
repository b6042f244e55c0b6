-- An undefined index is an error.
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "undefined" violated

var a: array [0..2] of boolean; i: 0..2;
startstate begin clear a; end;
rule "read" a[i] ==> begin a[0] := true; end;
