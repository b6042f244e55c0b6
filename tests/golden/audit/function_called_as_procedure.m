-- A function's result may be dropped.
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..3;
function bump(): boolean; begin x := (x + 1) % 4; return true; end;
startstate begin x := 0; end;
rule "drop the result" begin bump(); end;
