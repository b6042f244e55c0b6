-- Whole records and arrays are copied and compared with what is undefined in them.
-- states: 3
-- fired: 3
-- verdict: holds

type r : record a: 0..2; b: array [boolean] of 0..2; end;
var x: r; y: r; n: 0..2;
startstate begin x.a := 1; n := 0; end;
rule "copy" n = 0 ==> begin y := x; n := 1; end;
rule "same" n = 1 ==> begin assert x = y; y.b[true] := 2; n := 2; end;
rule "differ" n = 2 ==> begin assert x != y; undefine y; n := 0; end;
