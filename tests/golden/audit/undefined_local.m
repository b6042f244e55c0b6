-- A fresh local variable is undefined.
-- reason: v is read but undefined
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "undefined" violated

var x: 0..2;
startstate begin x := 0; end;
rule "read" var v: 0..2; begin x := v + 1; end;
