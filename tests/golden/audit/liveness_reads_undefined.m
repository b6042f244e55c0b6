-- A property that cannot be worked out is an error, once for each state.
-- max-errors: 50
-- rumur: no, it stops at the first
-- states: 4
-- fired: 4
-- verdict: violated
-- verdict: liveness "first" unknown
-- verdict: liveness "second" holds
-- verdict: fault "undefined" violated

var x: 0..3; y: 0..1;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % 4; end;
liveness "first" y = 0;
liveness "second" x = 3;
