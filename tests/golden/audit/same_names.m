-- Properties may share a name; each has its own verdict.
-- max-errors: 10
-- states: 4
-- fired: 4
-- verdict: violated
-- verdict: invariant "a" holds
-- verdict: invariant "a" violated
-- rumur: no, it stops counting otherwise

var x: 0..3;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % 4; end;
invariant "a" x >= 0;
invariant "a" x < 3;
