-- Rumur lets an undefined argument through as long as nobody reads it.
-- compat: rumur
-- states: 3
-- fired: 3
-- verdict: holds

var x: 0..2; y: 0..2;
function seven(z: 0..2): 0..9; begin return 7; end;
startstate begin x := 0; end;
rule "pass" begin if seven(y) = 7 then x := (x + 1) % 3; end; end;
