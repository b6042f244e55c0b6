-- A cover inside a ruleset is reached by any instance.
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..3;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % 4; end;
ruleset i : 3..9 do cover "some" x = i; end;
