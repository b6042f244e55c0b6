-- Parameters of nested rulesets, several in one.
-- states: 8
-- fired: 96
-- verdict: holds

var x: 0..3; y: 0..3;
startstate begin x := 0; y := 0; end;
ruleset i : 0..3; j : 0..1 do
  rule "set x" x != i ==> begin x := i; end;
  ruleset k : 0..2 do
    rule "set y" y + j = k ==> begin y := (y + j + k) % 4; end;
  end;
end;
