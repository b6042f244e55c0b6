-- A removed element reads as undefined.
-- rumur: no, it does not check multisets
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "undefined" violated

var net: multiset [2] of 0..1; x: 0..1;
startstate begin x := 0; multisetadd(0, net); end;
choose m : net do rule "late" begin multisetremove(m, net); x := net[m] + 1; end; end;
