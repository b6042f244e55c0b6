-- Logical operators work out only what they need.
-- states: 2
-- fired: 1
-- verdict: violated
-- verdict: fault "undefined" violated

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule "and" x = 1 & y = 1 ==> begin x := 0; end;
rule "or" x = 0 | y = 1 ==> begin x := 2; end;
rule "implies" x != 2 -> y = 1 ==> begin x := 0; end;
