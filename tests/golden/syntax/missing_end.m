-- expect: errors
var x : 0 .. 3;
rule "open"
begin
  if x = 1 then
    x := 2;
end;

rule "next" --~ error: expected `end` of the rule that began on line 3, found `rule`
begin
  x := 0;
end;
rule "last"
begin
  x := 1; --~ error: expected `end` of the rule that began on line 13, found the end of the text
