-- A ruleset that counts by two.
-- rumur: no, it crashes on such rulesets
-- states: 5
-- fired: 20
-- verdict: holds

var x: 0..8;
startstate begin x := 0; end;
ruleset i := 0 to 8 by 2 do
  rule "jump" x != i ==> begin x := i; end;
end;
