-- The plain search says so where it was asked for symmetry.
-- deadlock: off
-- symmetry: exhaustive
-- verdict: liveness "moves" unknown
-- reason: not decided under symmetry
type P : scalarset(2);
var x : array [P] of boolean;
startstate begin for p : P do x[p] := false; end; end;
ruleset p : P do
  fair rule "move" !x[p] ==> begin x[p] := true; end;
  liveness "moves" !x[p] LEADSTO x[p];
end;
