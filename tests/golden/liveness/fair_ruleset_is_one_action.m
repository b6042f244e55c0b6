-- A fair ruleset may favour one of its instances for ever; a fair rule inside a ruleset may not.
-- deadlock: off
-- verdict: liveness "some" holds
-- verdict: liveness "each" violated
type I : 0..1;
var n : array [I] of 0..2;
startstate begin for i : I do n[i] := 0; end; end;
fair ruleset i : I do
  rule "count" begin n[i] := (n[i] + 1) % 3; end;
end;
liveness "some" n[0] = 0 & n[1] = 0 LEADSTO n[0] = 1 | n[1] = 1;
liveness "each" n[0] = 0 LEADSTO n[0] = 1;
