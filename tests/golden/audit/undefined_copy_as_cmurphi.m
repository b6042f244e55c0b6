-- CMurphi copies undefined values.
-- compat: cmurphi
-- rumur: no, it reports the copy
-- states: 2
-- fired: 2
-- verdict: holds

var x: 0..2; y: 0..2;
startstate begin x := 0; end;
rule "copy" !isundefined(x) ==> begin x := y; end;
rule "set" isundefined(x) ==> begin x := 0; end;
