-- Members that point at members of their own scalarset, as chains, cycles, and loops to themselves.
-- symmetry: exhaustive
-- deadlock: off
-- states: 175
-- fired: 784
const N : 4;
type P : scalarset(N);
var next : array [P] of P; head : P;
startstate undefine next; undefine head; end;
ruleset i : P; j : P do
  rule "link" isundefined(next[i]) ==> next[i] := j; end;
  rule "head" isundefined(head) & i = j ==> head := i; end;
end;
