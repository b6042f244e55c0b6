-- Recursion is allowed.
-- states: 5
-- fired: 5
-- verdict: holds

type t : 0..24;
var x: t; n: 0..4;
function fact(k: t): t; begin if k = 0 then return 1; end; return k * fact(k - 1); end;
startstate begin x := 1; n := 0; end;
rule "next" n < 4 ==> begin n := n + 1; x := fact(n); end;
rule "restart" n = 4 ==> begin n := 0; x := 1; end;
