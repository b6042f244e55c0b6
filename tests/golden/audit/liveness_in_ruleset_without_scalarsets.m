-- Without a scalarset there is nothing to permute, and each instance is decided by itself.
-- symmetry: exhaustive
-- states: 3
-- fired: 4
-- verdict: violated
-- verdict: liveness "each again" violated
-- verdict: liveness "low again" holds

var x: 0..3;
startstate begin x := 1; end;
rule "up" x < 3 ==> begin x := x + 1; end;
rule "around" x = 3 ==> begin x := 1; end;
rule "back" x = 2 ==> begin x := 1; end;
ruleset i : 1..2 do liveness "low again" x = i; end;
ruleset i : 0..3 do liveness "each again" x = i; end;
