-- A parameter of another range needs a value to convert.
-- states: 1
-- fired: 0
-- verdict: fault "undefined" violated
-- rumur: no, it does not know the word

var x: 0..2;
function three(a: 0..3): 0..3; begin return 3; end;
startstate begin x := undefined; end;
rule "pass" three(x) = 3 ==> begin x := 1; end;
