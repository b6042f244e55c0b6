-- A false assertion, with its message.
-- reason: x never reaches two
-- states: 2
-- fired: 1
-- verdict: violated
-- verdict: fault "assert" violated

var x: 0..3;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; assert x != 2 "x never reaches two"; end;
