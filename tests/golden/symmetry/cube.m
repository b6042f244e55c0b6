-- Three dimensions of one scalarset, and pairs with values in it.
-- symmetry: exhaustive
-- deadlock: off
-- states: 1122
-- fired: 3372
const N : 3;
type P : scalarset(N);
var cube : array [P] of array [P] of array [P] of 0..1;
    pair : array [P] of array [P] of P;
    filled : 0..4;
startstate undefine cube; undefine pair; filled := 0; end;
ruleset i : P; j : P; k : P do
  rule "fill" isundefined(cube[i][j][k]) & i != k & filled < 4 ==>
    cube[i][j][k] := 1; pair[i][k] := j; filled := filled + 1;
  end;
end;
