-- Neither stored to nor passed on by reference.

type t : 0..3;
var x: t;
procedure p(var a: t); begin a := 0; end;
function f(a: t): t;
begin
  a := 1; --~ error: `a` cannot be changed: it is a parameter without `var`
  p(a); --~ error: `a` cannot be passed to `var` parameter `a`
  clear a; --~ error: `a` cannot be changed
  alias z : a do z := 2; end; --~ error: `z` cannot be changed
  return a;
end;
startstate begin
  x := 0;
  alias y : x + 1 do y := 2; end; --~ error: `y` cannot be changed: it is an alias of a value
end;
