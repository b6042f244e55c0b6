-- Storing outside the range is an error.
-- reason: value 4 does not fit x, which is 0..3
-- states: 4
-- fired: 3
-- verdict: violated
-- verdict: fault "range" violated

var x: 0..3;
startstate begin x := 0; end;
rule "up" begin x := x + 1; end;
