-- An undefined value argument is an error.
-- rumur: no, it lets the argument through
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "undefined" violated

var x: 0..2; y: 0..2;
function seven(z: 0..2): 0..9; begin return 7; end;
startstate begin x := 0; end;
rule "pass" begin if seven(y) = 7 then x := 1; end; end;
