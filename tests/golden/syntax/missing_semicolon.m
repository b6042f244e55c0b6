-- expect: errors
var x, y : 0 .. 3;
rule
begin
  x := 1
  y := 2
  if x = 1 then y := 1 end x := 3;
  x := 1 y := 2; --~ error: expected `;`, found `y`
  x := 1 y := 2 + ; --~ error: expected an expression, found `;`
end
