-- From every state, the property can be reached.
-- states: 6
-- fired: 6
-- verdict: holds

var x: 0..5;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % 6; end;
liveness "four again" x = 4;
