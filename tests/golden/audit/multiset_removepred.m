-- Removing all that satisfy a predicate.
-- rumur: no, it does not check multisets
-- states: 8
-- fired: 20
-- verdict: holds

var net: multiset [4] of 0..2;
startstate begin undefine net; end;
ruleset i : 0..2 do rule "add" multisetcount(m : net, net[m] = i) = 0 ==> begin multisetadd(i, net); end; end;
rule "purge" begin multisetremovepred(m : net, net[m] > 0); end;
invariant "each once" forall i : 0..2 do multisetcount(m : net, net[m] = i) <= 1 end;
