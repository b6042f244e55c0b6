-- expect: errors
var x : 0 .. 3;
startstate
begin
  x := 0;
  retrun; --~ error: expected a statement, found `retrun`
  if x = 0 thne --~ error: expected `then`, found `thne`
    x := 1;
  end;
  for i : 0 .. 1 od --~ error: expected `do`, found `od`
    x := i;
  end;
end;
ruel "one" --~ error: expected a declaration or a rule, found `ruel`
  x = 1
==>
begin
  x := 2;
end;
rule "two"
begin
  x := 0;
end;
invarient "low" --~ error: expected a declaration or a rule, found `invarient`
  x < 3;
