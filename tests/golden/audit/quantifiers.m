-- Both quantifiers, over types, ranges and steps, nested.
-- rumur: no, it refuses two quantifiers in one
-- states: 15
-- fired: 21
-- verdict: holds

type t : 0..3;
var a: array [t] of 0..2;
startstate begin for i : t do a[i] := 0; end; end;
ruleset i : t do
  rule "up" a[i] < 2 & (forall j : t do j < i -> a[j] > a[i] end) ==> begin a[i] := a[i] + 1; end;
end;
rule "reset" forall i : t; j : t do a[i] = a[j] & a[i] = 2 end ==> begin for i : t do a[i] := 0; end; end;
invariant "sorted" forall i := 0 to 2 do a[i] >= a[i + 1] end;
invariant "even ones" !exists i := 0 to 3 by 2 do a[i] > 2 end;
