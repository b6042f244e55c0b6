-- An assumption ends the whole run, however deep.
-- states: 3
-- fired: 4
-- verdict: holds

var x: 0..5;
function f(y: 0..5): 0..5; begin assume y != 3; return y; end;
startstate begin x := 0; end;
rule "up" x < 5 ==> begin x := f(x + 1); end;
rule "down" x > 0 ==> begin x := x - 1; end;
