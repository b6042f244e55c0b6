-- Printing changes nothing, also of undefined values.
-- deadlock: off
-- states: 2
-- fired: 2
-- verdict: holds

var x: 0..1; y: 0..1;
startstate begin x := 0; put "hello"; end;
rule "talk" begin put "x is "; put x; put y; put x + 1; x := 1 - x; end;
