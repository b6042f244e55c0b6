-- Each instance must stay possible by itself.
-- states: 4
-- fired: 4
-- verdict: violated
-- verdict: liveness "each again" violated

var x: 0..3;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; end;
rule "around" x = 3 ==> begin x := 1; end;
ruleset i : 0..3 do liveness "each again" x = i; end;
