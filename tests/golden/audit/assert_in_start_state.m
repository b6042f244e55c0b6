-- Assertions count in start states.
-- states: 0
-- fired: 0
-- verdict: violated
-- verdict: fault "assert" violated

var x: 0..3;
startstate begin x := 1; assert "zero" x = 0; end;
rule "up" begin x := 0; end;
