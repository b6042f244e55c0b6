-- Types, constants and subprograms are not variables.

const one : 1;
type t : 0..one;
var x: t; y: x; --~ error: `x` is not a type
procedure p(); begin x := 0; end;
startstate begin
  one := 2; --~ error: the left side of `:=` must be a variable
  t := 2; --~ error: `t` is a type, not a value
  x := p(); --~ error: `p` is a procedure and has no value
  x(); --~ error: `x` is not a function or procedure
  x := one.f; --~ error: `one` is a constant and has no parts
  p[1] := 2; --~ error: `p` is a subprogram
end;
