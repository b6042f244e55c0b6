-- Two equal elements are two instances of a choice, as in CMurphi.
-- rumur: no, it does not check multisets
-- states: 3
-- fired: 5
-- verdict: holds

var net: multiset [2] of 0..1;
startstate begin undefine net; end;
rule "fill" multisetcount(m : net, true) < 2 ==> begin multisetadd(1, net); end;
choose m : net do rule "take" begin multisetremove(m, net); end; end;
