-- Multisets of records with members, and an array of multisets indexed by a scalarset.
-- symmetry: exhaustive
-- deadlock: off
-- states: 6926
-- fired: 17028
const N : 3;
type P : scalarset(N);
     MSG : record from : P; dest : P; kind : 0..1; end;
var net : multiset [3] of MSG;
    inbox : array [P] of multiset [2] of P;
startstate undefine net; undefine inbox; end;
ruleset i : P; j : P; k : 0..1 do
  rule "send" multisetcount(x : net, true) < 2 ==>
    var m : MSG;
  begin
    m.from := i; m.kind := k;
    if i != j then m.dest := j; else undefine m.dest; end;
    multisetadd(m, net);
  end;
end;
choose x : net do
  rule "take" !isundefined(net[x].dest) & multisetcount(y : inbox[net[x].dest], true) < 2 ==>
    multisetadd(net[x].from, inbox[net[x].dest]);
    multisetremove(x, net);
  end;
end;
