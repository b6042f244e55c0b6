-- The shortest trace has three steps.
-- states: 5
-- fired: 6
-- verdict: violated
-- verdict: invariant "small" violated

var x: 0..9;
startstate begin x := 0; end;
rule "one" x < 9 ==> begin x := x + 1; end;
rule "two" x < 8 ==> begin x := x + 2; end;
invariant "small" x < 4;
