-- Arrays indexed by booleans, enums, negative ranges and arrays of arrays.
-- states: 288
-- fired: 944
-- verdict: holds

type e : enum { p, q, r };
var a: array [boolean] of array [e] of 0..1; b: array [-1..1] of 0..1;
startstate begin clear a; clear b; end;
ruleset i : boolean; j : e do
  rule "a" a[i][j] = 0 & b[0] = 0 ==> begin a[i][j] := 1; end;
end;
ruleset k : -1..1 do rule "b" b[k] = 0 & a[true][q] = 1 ==> begin b[k] := 1; end; end;
rule "reset" b[-1] = 1 ==> begin clear a; clear b; end;
