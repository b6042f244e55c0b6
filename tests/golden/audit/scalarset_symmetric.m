-- With symmetry, one state for each orbit.
-- symmetry: exhaustive
-- states: 7
-- fired: 21
-- verdict: holds

type n : scalarset(3);
var owner: n; busy: array [n] of boolean;
startstate begin undefine owner; for i : n do busy[i] := false; end; end;
ruleset i : n do
  rule "take" isundefined(owner) ==> begin owner := i; busy[i] := true; end;
  rule "give" !isundefined(owner) & owner = i ==> begin undefine owner; end;
  rule "rest" busy[i] & isundefined(owner) ==> begin busy[i] := false; end;
end;
