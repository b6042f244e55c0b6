-- Both sides of a comparison fit each other, and only integers have an order.

type e : enum { p, q };
var x: 0..3; c: e; b: boolean; r: record a: 0..1; end;
startstate begin
  b := x = c; --~ error: both sides of `=` must have the same type, not 0..3 and e
  b := c < q; --~ error: `<` needs an integer, not e --~ help: names, not numbers
  b := b >= false; --~ error: `>=` needs an integer, not boolean
  b := r != x; --~ error: both sides of `!=` must have the same type
  b := r < r; --~ error: `<` needs an integer, not record
  x := r = undefined; --~ error: only a simple variable can be compared with `undefined`
end;
