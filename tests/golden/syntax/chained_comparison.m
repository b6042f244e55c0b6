-- expect: errors
var x, y : 0 .. 3;
invariant "between" 0 <= x <= 3; --~ error: `<=` and `<=` do not chain
invariant "equal" x = y != 2; --~ help: add parentheses
invariant "implied" x = 1 -> y = 1 -> y > 0; --~ error: `->` and `->` do not chain
