-- All branches are taken.
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..7;
startstate begin x := 0; end;
rule "walk"
begin
  if x = 0 then x := 3;
  elsif x < 4 then x := x + 1;
  elsif x = 4 then x := 7;
  else x := 0; end;
end;
