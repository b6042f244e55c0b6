-- An argument outside the parameter's range is an error.
-- states: 2
-- fired: 1
-- verdict: violated
-- verdict: fault "range" violated

var x: 0..9;
function f(y: 0..5): 0..9; begin return y; end;
startstate begin x := 0; end;
rule "call" begin x := x + 3; x := f(x); end;
