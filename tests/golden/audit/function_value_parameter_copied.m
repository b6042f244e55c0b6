-- A value parameter does not see later changes of the variable passed.
-- states: 6
-- fired: 6
-- verdict: holds

type r : record a: 0..5; end;
var g: r; y: 0..5;
function f(x: r): 0..5; begin g.a := (g.a + 1) % 6; return x.a; end;
startstate begin g.a := 1; y := 0; end;
rule "call" g.a < 5 ==> begin y := f(g); assert "old value" y + 1 = g.a; end;
rule "reset" g.a = 5 ==> begin g.a := 1; end;
