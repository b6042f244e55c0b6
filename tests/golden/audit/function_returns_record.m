-- A complex value returned, assigned and compared.
-- rumur: no, its C code does not compile
-- states: 6
-- fired: 6
-- verdict: holds

type r : record a: 0..2; b: boolean; end;
var v: r;
function make(a: 0..2; b: boolean): r; var x: r; begin x.a := a; x.b := b; return x; end;
startstate begin v := make(0, false); end;
rule "next" v != make(2, true) ==> begin if v.b then v := make(v.a + 1, false); else v := make(v.a, true); end; end;
rule "restart" v = make(2, true) ==> begin v := make(0, false); end;
