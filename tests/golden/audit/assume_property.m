-- A state that violates an assumption is dropped, but the step to it counts.
-- states: 3
-- fired: 5
-- verdict: holds

var x: 0..5;
startstate begin x := 0; end;
rule "up" x < 5 ==> begin x := x + 1; end;
rule "down" x > 0 ==> begin x := x - 1; end;
assume "never three" x != 3;
invariant "so never four" x < 3;
