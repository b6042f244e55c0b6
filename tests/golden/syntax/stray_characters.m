-- expect: errors
var x : 0 .. 3; # --~ error: the character `#` means nothing here
rule
begin
  x := @$ 3; --~ error: the characters `@$` mean nothing here
  x := 3
  @ --~ error: the character `@` means nothing here
end;
