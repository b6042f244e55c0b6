-- A graph on a scalarset, an array indexed twice by it. Cycles look the same everywhere.
-- symmetry: exhaustive
-- deadlock: off
-- states: 104
-- fired: 468
const N : 3;
type P : scalarset(N);
var edge : array [P] of array [P] of boolean;
startstate for i : P do for j : P do edge[i][j] := false; end; end; end;
ruleset i : P; j : P do
  rule "draw" !edge[i][j] ==> edge[i][j] := true; end;
end;
