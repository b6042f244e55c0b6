-- Rules need neither name nor guard.
-- states: 3
-- fired: 4
-- verdict: holds

var x: 0..2;
startstate x := 0; end;
rule begin x := (x + 1) % 3; end;
rule x = 1 ==> x := 0; end;
