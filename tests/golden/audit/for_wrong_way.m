-- A step away from the end is an error at run time.
-- reason: never arrives
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "for_step" violated

var x: 0..3; n: 0..3;
startstate begin x := 0; n := 1; end;
rule "wrong" begin for i := 2 to n by 1 do x := 3; end; end;
