-- A run that violates an assumption counts as not enabled.
-- states: 3
-- fired: 4
-- verdict: holds

var x: 0..5;
startstate begin x := 0; end;
rule "up" x < 5 ==> begin x := x + 1; assume "never three" x != 3; end;
rule "down" x > 0 ==> begin x := x - 1; end;
