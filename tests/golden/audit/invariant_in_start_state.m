-- Properties hold for start states too.
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: invariant "not three" violated

var x: 0..3;
startstate begin x := 3; end;
rule x > 0 ==> begin x := x - 1; end;
invariant "not three" x != 3;
