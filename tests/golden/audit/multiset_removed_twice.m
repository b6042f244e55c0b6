-- The chosen element can be removed only once.
-- rumur: no, it does not check multisets
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "multiset_absent" violated

var net: multiset [2] of 0..1;
startstate begin multisetadd(0, net); end;
choose m : net do rule "twice" begin multisetremove(m, net); multisetremove(m, net); end; end;
