-- An expression is constant when only one value is possible, whatever a function would say.
-- states: 2
-- fired: 2
-- verdict: holds
-- rumur: no, a comparison of booleans is ours

function f(): 0..1; begin return 1; end;
var x: 0 * f() .. 1; y: 0 / f() .. (false ? f() : 1); z: 0 << f() .. 0 >> f() + 1;
const sure: f() = 1 | true;
startstate begin x := 0; y := 1; z := 0; end;
rule "flip" sure ==> begin x := 1 - x; y := 1 - y; end;
