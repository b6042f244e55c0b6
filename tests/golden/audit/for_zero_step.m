-- A step of zero is an error at run time.
-- reason: by 0 never arrives
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "for_step" violated

var x: 0..3; n: 0..3;
startstate begin x := 0; n := 0; end;
rule "wrong" begin for i := 0 to 2 by n do x := 3; end; end;
