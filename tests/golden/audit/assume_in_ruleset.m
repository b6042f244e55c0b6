-- An assumption for each parameter.
-- states: 4
-- fired: 12
-- verdict: holds

var a: array [0..2] of boolean;
startstate begin for i : 0..2 do a[i] := false; end; end;
ruleset i : 0..2 do
  rule "flip" begin a[i] := !a[i]; end;
  assume "not the last" i < 2 | !a[i];
end;
