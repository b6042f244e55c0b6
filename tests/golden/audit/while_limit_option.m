-- The limit is an option.
-- rumur: no, it has no limit
-- loop-max: 10
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "loop_limit" violated

var x: 0..40;
startstate begin x := 0; end;
rule "fill" x = 0 ==> begin while x < 37 do x := x + 1; end; end;
