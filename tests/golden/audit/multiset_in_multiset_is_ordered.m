-- Inner multisets are ordered before outer ones.
-- rumur: no, it does not check multisets
-- states: 60
-- fired: 108
-- verdict: holds

var net: multiset [2] of multiset [2] of 0..1; inner: multiset [2] of 0..1;
startstate begin undefine net; undefine inner; end;
ruleset i : 0..1 do
  rule "inner" multisetcount(m : inner, true) < 2 ==> begin multisetadd(i, inner); end;
end;
rule "outer" multisetcount(m : net, true) < 2 & multisetcount(m : inner, true) = 2 ==>
begin multisetadd(inner, net); undefine inner; end;
rule "empty" multisetcount(m : net, true) = 2 ==> begin undefine net; end;
