-- Brute force does not try billions of permutations.
-- symmetry: exhaustive
-- rumur: no, its limits are others
-- states: 0
-- fired: 0
-- verdict: unknown

type n : scalarset(13);
var x: n;
startstate begin undefine x; end;
ruleset i : n do rule begin x := i; end; end;
invariant "any" true;
