-- A rule may return early.
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..3;
startstate begin x := 0; return; x := 3; end;
rule "up" x < 3 ==> begin x := x + 1; if x = 2 then return; end; x := x; end;
rule "down" x = 3 ==> begin x := 0; end;
