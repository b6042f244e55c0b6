-- Several values in a case, and an else.
-- states: 4
-- fired: 4
-- verdict: holds

type e : enum { a, b, c, d };
var x: e; n: 0..3;
startstate begin x := a; n := 0; end;
rule "turn"
begin
  switch x
    case a: x := b; n := 1;
    case b, c: x := d; n := 2;
    else x := a; n := 3;
  end;
end;
