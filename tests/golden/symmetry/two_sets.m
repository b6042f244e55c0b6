-- Two scalarsets that point at each other, and an array indexed by both.
-- symmetry: exhaustive
-- deadlock: off
-- states: 295
-- fired: 1088
const N : 3; M : 3;
type A : scalarset(N); B : scalarset(M);
var owner : array [A] of B;
    holder : array [B] of A;
    grid : array [A] of array [B] of 0..1;
    turn : B;
startstate
  undefine owner; undefine holder; undefine turn;
  for a : A do for b : B do grid[a][b] := 0; end; end;
end;
ruleset a : A; b : B do
  rule "own" isundefined(owner[a]) ==> owner[a] := b; grid[a][b] := 1; end;
  rule "hold" isundefined(holder[b]) & grid[a][b] = 0 ==> holder[b] := a; turn := b; end;
end;
