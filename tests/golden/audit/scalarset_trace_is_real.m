-- A trace under symmetry is an execution, not a chain of representatives.
-- symmetry: exhaustive
-- trace: 4
-- states: 4
-- fired: 6
-- verdict: violated
-- verdict: invariant "not all" violated

type n : scalarset(3);
var a: array [n] of 0..2;
startstate begin for i : n do a[i] := 0; end; end;
ruleset i : n do rule "up" a[i] = 0 ==> begin a[i] := 1; end; end;
invariant "not all" exists i : n do a[i] = 0 end;
