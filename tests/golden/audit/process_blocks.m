-- A process block is a ruleset that names components.
-- rumur: no, the words are ours
-- states: 8
-- fired: 14
-- verdict: holds

type n : scalarset(2);
var pc: array [n] of enum { idle, trying, critical }; lock: boolean;
startstate begin lock := false; for i : n do pc[i] := idle; end; end;
process "Client" i : n do
  rule "try" pc[i] = idle ==> begin pc[i] := trying; end;
  rule "enter" pc[i] = trying & !lock ==> begin pc[i] := critical; lock := true; end;
  rule "leave" pc[i] = critical ==> begin pc[i] := idle; lock := false; end;
end;
invariant "exclusion" forall i : n; j : n do i != j -> !(pc[i] = critical & pc[j] = critical) end;
