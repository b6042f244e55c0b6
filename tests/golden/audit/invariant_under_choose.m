-- A property for each element of a multiset; an empty place says nothing.
-- rumur: no, it does not check multisets
-- states: 4
-- fired: 3
-- verdict: violated
-- verdict: invariant "no two" violated

var net: multiset [2] of 0..3;
startstate begin undefine net; end;
ruleset i : 0..3 do rule "add" multisetcount(m : net, true) < 2 ==> begin multisetadd(i, net); end; end;
choose m : net do rule "take" begin multisetremove(m, net); end; invariant "no two" net[m] != 2; end;
