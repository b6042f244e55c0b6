-- A loop that does not end is an error, not an endless run.
-- rumur: no, it does not end
-- reason: not done after 1000 iterations
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "loop_limit" violated

var x: 0..1;
startstate begin x := 0; end;
rule "spin" begin while x < 2 do x := 1 - x; end; end;
