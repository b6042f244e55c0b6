-- A name is declared once in a scope.

const n : 1;
type n : 0..1; --~ error: `n` is declared twice
var a: boolean; b: enum { p, q };
var a: 0..1; --~ error: `a` is declared twice
type e : enum { p }; --~ error: `p` is declared twice
function f(x: 0..1; x: 0..2): 0..1; begin return x; end; --~ error: `x` is declared twice
startstate var a: 0..1; begin a := 0; end;
