-- Unions in unions share their members; a range may be one.
-- rumur: no, it does not check unions
-- states: 4
-- fired: 4
-- verdict: holds

type e : enum { a, b }; u : union { e, 3..4 }; w : union { u, e, boolean };
var x: u; y: w;
startstate begin x := a; y := true; end;
rule "x" begin y := x; switch x case a: x := b; case b: x := 4; else x := a; end; end;
rule "y" y = x & ismember(y, e) ==> begin y := false; end;
invariant "not three" x != 3;
