-- Rules may declare constants, types and variables of their own.
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..7;
startstate begin x := 0; end;
rule "own names"
const STEP : 3;
type t : 0..9;
var y: t;
begin y := x + STEP - 1; x := y % 8; end;
