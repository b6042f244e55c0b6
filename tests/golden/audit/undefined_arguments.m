-- The word as an argument, handed on, copied, and asked about, as CMurphi's users do.
-- states: 4
-- fired: 4
-- verdict: holds
-- rumur: no, it does not know the word

type val: 0..2;
var x: val; y: val;
procedure put_away(a: val; b: val); begin x := a; y := b; end;
procedure hand_on(a: val); begin put_away(a, undefined); end;
startstate begin x := 0; y := 0; end;
rule "one" !isundefined(x) & !isundefined(y) ==> begin put_away(UNDEFINED, 1); end;
rule "two" isundefined(x) & !isundefined(y) ==> begin hand_on(x); end;
rule "three" isundefined(x) & isundefined(y) ==> begin hand_on(2); end;
rule "four" !isundefined(x) & isundefined(y) ==> begin put_away(0, 0); end;
