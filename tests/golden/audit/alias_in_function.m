-- Aliases of parameters, fields and elements.
-- states: 4
-- fired: 4
-- verdict: holds

type r : record a: 0..3; b: array [boolean] of 0..3; end;
var v: r; n: 0..3;
procedure bump(var x: r);
begin
  alias p : x.b[true]; q : x.a do p := (p + 1) % 4; q := p; end;
end;
startstate begin clear v; n := 0; end;
rule "bump" begin bump(v); n := v.a; end;
