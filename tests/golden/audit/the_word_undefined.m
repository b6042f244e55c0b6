-- CMurphi's word for no value, as a source and in comparisons.
-- rumur: no, it does not know the word
-- states: 3
-- fired: 3
-- verdict: holds

var x: 0..2;
startstate begin x := 0; end;
rule "unset" x != undefined ==> begin x := undefined; end;
rule "set" x = undefined ==> begin x := 2; end;
