-- Negative bounds, negative values, truncation toward zero.
-- states: 6
-- fired: 6
-- verdict: holds

const LOW : -3;
var x: LOW..2;
startstate begin x := LOW; end;
rule "up" x < 2 ==> begin x := x + 1; end;
rule "wrap" x = 2 ==> begin x := -3; end;
invariant "truncation" (-3) / 2 = -1 & (-3) % 2 = -1 & 3 / -2 = -1;
