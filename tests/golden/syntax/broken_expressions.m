-- expect: errors
var x : 0 .. 3;
rule
begin
  x := ; --~ error: expected an expression, found `;`
  x := (x + 1; --~ error: expected `)`, found `;`
  x := x ? 1; --~ error: expected `:`, found `;`
  x := x[1; --~ error: expected `]`, found `;`
  x := x.3; --~ error: expected a name, found `3`
  x := f(1 2); --~ error: expected `,` or `)`, found `2`
  x := isundefined(1); --~ error: expected a name, found `1`
  x := forall i do true end; --~ error: expected `:` and a type, or `:=` and a range, found `do`
  x := rule; --~ error: expected an expression, found `rule`
end;
