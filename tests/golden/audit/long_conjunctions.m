-- Long conditions are lists, not towers.
-- deadlock: off
-- states: 2
-- fired: 1
-- verdict: holds

var x: 0..1;
startstate begin x := 0; end;
rule "long" x = 0 & x = 0 & x = 0 & x = 0 & x = 0 & x = 0 & x = 0 & x = 0 & x = 0 & x = 0 & x + 1 + 1 + 1 + 1 + 1 - 5 = 0 ==>
begin x := 1; end;
