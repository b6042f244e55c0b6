-- One element too many is an error.
-- rumur: no, it does not check multisets
-- reason: the multiset is full: it holds 2 already
-- states: 3
-- fired: 2
-- verdict: violated
-- verdict: fault "multiset_full" violated

var net: multiset [2] of 0..1;
startstate begin undefine net; end;
rule "fill" begin multisetadd(1, net); end;
