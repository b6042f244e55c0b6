-- Only enabled rules of the least number fire.
-- rumur: no, it has no priorities
-- states: 5
-- fired: 5
-- verdict: holds

var x: 0..5;
startstate begin x := 0; end;
rule 10 "rest" begin x := 0; end;
rule 5 "slow" x < 5 ==> begin x := x + 1; end;
rule "urgent" x = 2 ==> begin x := 4; end;
