-- Where the language needs constants.

var x: 0..3;
function f(): 0..3; begin return 1; end;
const a : x; --~ error: the value of a constant must be constant
const b : f(); --~ error: the value of a constant must be constant
const c : 1 / 0; --~ error: the value of a constant must be constant
type t : 0..x; --~ error: the bound of a range must be constant
type u : false..true; --~ error: the bound of a range must be an integer, not boolean
startstate begin x := 0; end;
ruleset i := 0 to x do rule begin x := i; end; end; --~ error: the bounds of a ruleset must be constant
