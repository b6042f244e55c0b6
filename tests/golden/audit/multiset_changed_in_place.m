-- An element may be changed where it is; the order is restored afterwards.
-- rumur: no, it does not check multisets
-- states: 6
-- fired: 12
-- verdict: holds

var net: multiset [2] of record a: 0..2; end;
startstate var r: record a: 0..2; end; begin r.a := 0; multisetadd(r, net); r.a := 2; multisetadd(r, net); end;
choose m : net do
  rule "bump" net[m].a < 2 ==> begin net[m].a := net[m].a + 1; end;
  rule "reset" net[m].a = 2 ==> begin net[m].a := 0; end;
end;
