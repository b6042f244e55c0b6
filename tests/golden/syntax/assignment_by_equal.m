-- expect: errors
var x, y : 0 .. 3;
startstate
begin
  x = 0; --~ error: expected `:=`, found `=`
  y = 1; --~ help: assignment is written `:=`; `=` compares
end;
