-- Three dimensions of one scalarset, and triples of another with values in it.
const N : 3;
type P : scalarset(N);
var cube : array [P] of array [P] of array [P] of 0..1;
    pair : array [P] of array [P] of P;
startstate undefine cube; undefine pair; end;
ruleset i : P; j : P; k : P do
  rule "fill" isundefined(cube[i][j][k]) & i != k ==> cube[i][j][k] := 1; pair[i][k] := j; end;
end;
