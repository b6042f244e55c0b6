-- Number, types and kinds of arguments.

type t : 0..3;
var x: t; y: 0..9; b: boolean;
function f(a: t; b: boolean): t; begin return a; end;
procedure p(var a: t); begin a := 0; end;
function none(): t; begin return 1; end;
startstate begin
  x := f(1); --~ error: `f` takes 2 arguments, not 1
  x := f(1, 2); --~ error: parameter `b` must be boolean, not integer
  p(1); --~ error: `var` parameter `a` needs a variable
  p(x + 1); --~ error: `var` parameter `a` needs a variable
  p(y); --~ error: `var` parameter `a` must be exactly 0..3, not 0..9
  p(b); --~ error: `var` parameter `a` must be exactly 0..3, not boolean
  x := none(3); --~ error: `none` takes no arguments, not 1
  p(); --~ error: `p` takes 1 argument, not 0
end;
