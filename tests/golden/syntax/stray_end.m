-- expect: errors
rule "one"
begin
end;
end; --~ error: expected a declaration or a rule, found `end`
rule "two"
begin
  case 1: --~ error: expected `end` of the rule that began on line 6, found `case`
end;
