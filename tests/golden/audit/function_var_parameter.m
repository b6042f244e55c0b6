-- References change what they refer to.
-- states: 15
-- fired: 26
-- verdict: violated
-- verdict: deadlock "deadlock" violated

type t : 0..3;
var x: t; y: t;
procedure swap(var a, b: t); var h: t; begin h := a; a := b; b := h; end;
startstate begin x := 0; y := 1; end;
rule "swap" begin swap(x, y); end;
rule "grow" x < 3 ==> begin x := x + 1; end;
