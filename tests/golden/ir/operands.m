-- Each operator says what it needs.

type e : enum { p, q };
var x: 0..3; c: e; b: boolean;
startstate begin
  x := c + 1; --~ error: `+` needs an integer, not e
  x := 1 - b; --~ error: `-` needs an integer, not boolean
  b := !x; --~ error: the operand of `!` must be boolean, not 0..3
  b := b & x; --~ error: each operand of `&` must be boolean, not 0..3
  x := x & b; --~ error: `&` needs an integer, not boolean
  b := x -> b; --~ error: the left side of `->` must be boolean
  x := -c; --~ error: `-` needs an integer, not e
  x := b ? 1 : false; --~ error: both results of `?:` must have the same type
  x := x ? 1 : 2; --~ error: the condition must be boolean
  x := 1 + undefined; --~ error: `+` needs an integer, not `undefined`
  b := b || 1; --~ error: each operand of `||` must be boolean, not integer
end;
