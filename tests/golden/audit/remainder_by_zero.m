-- So is a remainder.
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "division_by_zero" violated

var x: 0..3; y: 0..3;
startstate begin x := 3; y := 0; end;
rule "divide" begin x := x % y; end;
