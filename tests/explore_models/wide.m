-- Counters that are raised in any order: levels are wide; and states of many words, most of which never change.
var
  counter : array [1..6] of 0..4;
  ballast : array [1..30] of 0..1000000000;
startstate begin
  for i : 1..6 do counter[i] := 0; end;
  for i : 1..30 do ballast[i] := i; end;
end;
ruleset i : 1..6 do
  rule "raise" counter[i] < 4 ==> begin counter[i] := counter[i] + 1; end;
end;
