-- `?:` on simple values and on records; only one side is worked out.
-- states: 8
-- fired: 16
-- verdict: holds

type r : record a: 0..3; end;
var x: r; y: r; b: boolean;
startstate begin x.a := 0; y.a := 3; b := false; end;
rule "choose" begin x := (b ? y : x); x.a := (x.a = 3 ? 0 : x.a + 1); end;
rule "flip" begin b := !b; end;
invariant "lazy" x.a = 0 | (x.a > 0 ? 6 / x.a > 0 : false);
