-- Records of arrays of records, and multisets whose elements hold arrays indexed by a scalarset.
-- symmetry: exhaustive
-- deadlock: off
-- states: 8382
-- fired: 66657
const N : 3; M : 2;
type P : scalarset(N); Q : scalarset(M);
     CELL : record who : P; mark : boolean; end;
     ROW : record cells : array [Q] of CELL; level : array [0..1] of 0..2; best : Q; end;
     VOTE : record yes : array [P] of boolean; voter : Q; end;
var rows : array [P] of ROW;
    votes : multiset [2] of VOTE;
startstate
  undefine rows; undefine votes;
  for p : P do rows[p].level[0] := 0; rows[p].level[1] := 0; end;
end;
ruleset p : P; q : Q do
  rule "mark" isundefined(rows[p].cells[q].mark) ==>
    rows[p].cells[q].mark := true; rows[p].cells[q].who := p; rows[p].best := q;
  end;
  rule "vote" multisetcount(x : votes, true) < 2 ==>
    var v : VOTE;
  begin
    for r : P do v.yes[r] := r = p; end;
    v.voter := q;
    multisetadd(v, votes);
  end;
  rule "climb" rows[p].level[0] < 2 ==>
    rows[p].level[0] := rows[p].level[0] + 1;
  end;
end;
