-- Recursion without end is an error, not a crash.
-- rumur: no, it overflows the stack
-- reason: more than
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "recursion_limit" violated

var x: 0..3;
function f(y: 0..3): 0..3; begin return f(y); end;
startstate begin x := 0; end;
rule "call" begin x := f(x); end;
