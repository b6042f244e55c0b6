-- expect: errors
var x : 0 .. 3;
rule "one --~ error: this quoted text is never closed
  true ==>
begin
  x := 1;
end;
