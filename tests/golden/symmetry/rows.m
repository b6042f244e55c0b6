-- Plain rows of many members, most of them untouched, some equal.
-- symmetry: exhaustive
-- deadlock: off
-- states: 350
-- fired: 1344
const N : 4;
type P : scalarset(N);
     ROW : record state : enum { Idle, Busy, Done }; count : -1..1; flag : boolean; end;
var row : array [P] of ROW; current : P; free : array [P] of boolean;
startstate
  for p : P do row[p].state := Idle; row[p].count := 0; free[p] := true; end;
  undefine current;
end;
ruleset p : P do
  rule "take" isundefined(current) & row[p].state = Idle ==>
    current := p; row[p].state := Busy; free[p] := false;
  end;
  rule "work" !isundefined(current) & current = p & row[p].count < 1 ==>
    row[p].count := row[p].count + 1; row[p].flag := row[p].count = 0;
  end;
  rule "done" row[p].state = Busy ==> row[p].state := Done; undefine current; end;
  rule "again" row[p].state = Done ==> row[p].state := Idle; row[p].count := -1; undefine row[p].flag; end;
end;
