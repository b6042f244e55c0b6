-- A property that reads an undefined value is an error with a trace.
-- states: 3
-- fired: 2
-- verdict: violated
-- verdict: fault "undefined" violated

var x: 0..3; y: 0..3;
startstate begin x := 0; y := 0; end;
rule "up" x < 3 ==> begin x := x + 1; if x = 2 then undefine y; end; end;
invariant "reads y" y = 0;
