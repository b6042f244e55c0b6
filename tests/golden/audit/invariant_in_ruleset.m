-- A property for each value of a parameter; the reason names the value.
-- reason: false for i: 2
-- states: 2
-- fired: 1
-- verdict: violated
-- verdict: invariant "all set" violated

var a: array [0..3] of boolean;
startstate begin for i : 0..3 do a[i] := true; end; end;
rule "drop" a[2] ==> begin a[2] := false; end;
ruleset i : 0..3 do invariant "all set" a[i]; end;
