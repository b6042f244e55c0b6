-- Where assumptions rule out every step, there is a deadlock.
-- states: 3
-- fired: 2
-- verdict: violated
-- verdict: deadlock "deadlock" violated

var x: 0..5;
startstate begin x := 0; end;
rule "up" x < 5 ==> begin x := x + 1; assume x != 3; end;
