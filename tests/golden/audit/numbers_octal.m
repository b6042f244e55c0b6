-- A leading 0 makes a number octal, as in Rumur; the bound is eight.
-- reason: value 9 does not fit x, which is 0..8
-- states: 1
-- verdict: violated
-- verdict: fault "range" violated

var x: 0 .. 010; --~ warning: this number is octal and means 8
startstate begin x := 007; end;
rule begin x := 9; end;
