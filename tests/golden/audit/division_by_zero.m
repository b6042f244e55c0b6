-- Division by zero is an error.
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "division_by_zero" violated

var x: 0..3; y: 0..3;
startstate begin x := 3; y := 1; end;
rule "divide" begin y := y - 1; x := x / y; end;
