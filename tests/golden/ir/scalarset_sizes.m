-- A scalarset has a constant, positive size.

var v: 0..3;
type a : scalarset(0); --~ error: a scalarset needs at least one value, not 0
type b : scalarset(v); --~ error: the size of a scalarset must be constant
type c : scalarset(true); --~ error: the size of a scalarset must be an integer, not boolean
startstate begin v := 0; end;
