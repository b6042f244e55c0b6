-- A constant given from outside.
-- const: N=5
-- rumur: no, it cannot override constants
-- states: 6
-- fired: 6
-- verdict: holds

const N : 2;
var x: 0..N;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % (N + 1); end;
