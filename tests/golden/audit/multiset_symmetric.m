-- Multisets of scalarset values, in arrays over the scalarset.
-- symmetry: exhaustive
-- rumur: no, it does not check multisets
-- states: 16
-- fired: 74
-- verdict: holds

type n : scalarset(3);
var box: array [n] of multiset [2] of n;
startstate begin undefine box; end;
ruleset i : n; j : n do
  rule "send" multisetcount(m : box[j], true) < 1 ==> begin multisetadd(i, box[j]); end;
end;
ruleset j : n do choose m : box[j] do
  rule "receive" begin multisetremove(m, box[j]); end;
end; end;
