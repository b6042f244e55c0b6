-- `clear` gives the least values, `undefine` none.
-- states: 3
-- fired: 3
-- verdict: holds

type r : record a: 2..4; b: boolean; c: enum { p, q }; end;
var x: r; n: 0..2;
startstate begin undefine x; n := 0; end;
rule "clear" n = 0 ==> begin clear x; assert x.a = 2 & !x.b & x.c = p; n := 1; end;
rule "set" n = 1 ==> begin x.a := 4; x.b := true; x.c := q; n := 2; end;
rule "undefine" n = 2 ==> begin undefine x; assert isundefined(x.a) & isundefined(x.c); n := 0; end;
