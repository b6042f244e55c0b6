-- Fairness of a rule is meant for each instance.
-- deadlock: off
-- verdict: holds
type I : 0..1;
var n : array [I] of 0..2;
startstate begin for i : I do n[i] := 0; end; end;
ruleset i : I do
  fair rule "count" begin n[i] := (n[i] + 1) % 3; end;
end;
ruleset i : I do liveness "each" n[i] = 0 LEADSTO n[i] = 1; end;
