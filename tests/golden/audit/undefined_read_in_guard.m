-- Reading an undefined value is an error, also in a guard.
-- reason: y is read but undefined
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "undefined" violated

var x: 0..2; y: 0..2;
startstate begin x := 0; end;
rule "read" y = 1 ==> begin x := 1; end;
