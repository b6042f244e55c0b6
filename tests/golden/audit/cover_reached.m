-- A cover that is reached holds.
-- states: 6
-- fired: 6
-- verdict: holds

var x: 0..5;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % 6; if x = 4 then cover "four was there" true; end; end;
cover "five" x = 5;
