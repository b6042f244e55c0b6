-- Whole arrays as parameters of both kinds.
-- states: 6
-- fired: 7
-- verdict: holds

type a : array [0..2] of 0..3;
var x: a; total: 0..9;
function sum(y: a): 0..9; var s: 0..9; begin s := 0; for i : 0..2 do s := s + y[i]; end; return s; end;
procedure rotate(var y: a); var h: 0..3; begin h := y[0]; y[0] := y[1]; y[1] := y[2]; y[2] := h; end;
startstate begin x[0] := 0; x[1] := 1; x[2] := 3; total := 4; end;
rule "rotate" begin rotate(x); assert sum(x) = total; end;
rule "grow" x[0] = 0 ==> begin x[0] := 1; total := sum(x); end;
