-- What would tell values of a scalarset apart is refused, with the reason.

type n : scalarset(3); m : scalarset(3);
const first : 1;
var x: n; y: m; z: 0..3; b: boolean; a: array [n] of n; w: array [n] of boolean;
startstate begin
  x := 1; --~ error: the value assigned must be n, not integer --~ help: have no names
  x := first; --~ error: the value assigned must be n, not integer
  z := x + 1; --~ error: `+` needs an integer, not n --~ help: no order and no numbers
  b := x < x; --~ error: `<` needs an integer, not n --~ help: interchangeable
  x := y; --~ error: the value assigned must be n, not m --~ help: a type of its own
  b := x = y; --~ error: both sides of `=` must have the same type, not n and m
  clear x; --~ error: `clear` of n would favour one value --~ help: use `undefine`
  clear a; --~ error: `clear` of array [n] of n would favour one value
  clear w;
  for i := x to x do z := 1; end; --~ error: cannot count from one n to another
  a[0] := x; --~ error: the index must be n, not integer
end;
