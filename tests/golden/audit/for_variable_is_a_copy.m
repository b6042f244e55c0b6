-- Storing to a loop's variable changes nothing outside the iteration.
-- states: 12
-- fired: 44
-- verdict: holds

var x: 0..12; y: 0..9;
startstate begin x := 0; y := 0; end;
rule "loop" begin x := 0; for i := 0 to 3 do i := 3; x := x + i; end; end;
ruleset p : 0..2 do rule "parameter" y < 5 ==> begin p := 0; y := y + 1 + p; end; end;
rule "restart" y = 5 ==> begin y := 0; end;
invariant "four times three" x = 0 | x = 12;
