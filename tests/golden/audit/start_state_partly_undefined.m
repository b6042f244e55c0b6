-- A start state may leave variables undefined.
-- states: 2
-- fired: 2
-- verdict: holds

var x: 0..2; y: 0..2;
startstate begin x := 0; end;
rule "set" isundefined(y) ==> begin y := x; end;
rule "unset" !isundefined(y) ==> begin undefine y; end;
