-- A result outside the function's type is an error.
-- rumur: no, it does not check results
-- states: 6
-- fired: 5
-- verdict: violated
-- verdict: fault "range" violated

var x: 0..9;
function f(y: 0..9): 0..5; begin return y + 1; end;
startstate begin x := 0; end;
rule "call" begin x := f(x); end;
