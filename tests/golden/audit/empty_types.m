-- A union or range without values can only be undefined.
-- deadlock: off
-- rumur: no, it refuses empty ranges
-- states: 1
-- fired: 1
-- verdict: holds

type none : union {}; nothing : 3..2;
var x: none; y: nothing; z: array [nothing] of boolean;
startstate begin undefine x; clear y; end;
rule "never" isundefined(x) & isundefined(y) ==> begin undefine z; end;
