-- Records and arrays compare part by part.
-- states: 32
-- fired: 128
-- verdict: holds

type r : record a: 0..1; b: array [0..1] of boolean; end;
var x: r; y: r;
startstate begin clear x; clear y; end;
ruleset i : 0..1 do
  rule "x" begin x.b[i] := !x.b[i]; end;
  rule "y" x = y ==> begin y.a := 1 - y.a; end;
  rule "all" x != y ==> begin y := x; end;
end;
