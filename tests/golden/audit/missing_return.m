-- A function that ends without a return is an error.
-- reason: came to its end without a return
-- states: 3
-- fired: 2
-- verdict: violated
-- verdict: fault "missing_return" violated

var x: 0..3;
function f(y: 0..3): 0..3; begin if y < 2 then return y + 1; end; end;
startstate begin x := 0; end;
rule "call" begin x := f(x); end;
