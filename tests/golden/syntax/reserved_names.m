-- expect: errors
type
  t : enum { get, Put }; --~ help: `put` is a reserved word, in any case, and cannot be a name
var
  x : record a : boolean; end;
rule begin
  x.end := true; --~ help: `end` is a reserved word, in any case, and cannot be a name
end;
function Rule() : boolean; begin end; --~ error: expected a name, found `Rule`
