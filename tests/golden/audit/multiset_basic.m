-- Adding, choosing, counting and removing; order does not matter.
-- rumur: no, it does not check multisets
-- states: 35
-- fired: 114
-- verdict: holds

type msg : record kind: enum { req, ack }; n: 0..1; end;
var net: multiset [3] of msg;
startstate begin undefine net; end;
ruleset i : 0..1 do
  rule "send" multisetcount(m : net, true) < 3 ==>
  var m: msg;
  begin m.kind := req; m.n := i; multisetadd(m, net); end;
end;
choose m : net do
  rule "answer" net[m].kind = req ==>
  var a: msg;
  begin a.kind := ack; a.n := net[m].n; multisetremove(m, net); multisetadd(a, net); end;
  rule "drop" net[m].kind = ack ==> begin multisetremove(m, net); end;
end;
invariant "bounded" multisetcount(m : net, net[m].kind = ack) <= 3;
