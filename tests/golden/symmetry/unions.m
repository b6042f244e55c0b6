-- Arrays indexed by unions, and values of unions (a home, a scalarset, another one).
-- symmetry: exhaustive
-- deadlock: off
-- states: 2086
-- fired: 4899
const N : 3; M : 2;
type P : scalarset(N); Q : scalarset(M); H : enum { Home, Away };
     NODE : union { H, P }; ANY : union { Q, H, P };
var dir : array [NODE] of NODE;
    any : array [ANY] of ANY;
    last : ANY;
    steps : 0..2;
startstate undefine dir; undefine any; undefine last; steps := 0; end;
ruleset n : NODE; m : NODE do
  rule "dir" isundefined(dir[n]) & isundefined(last) & steps < 2 ==>
    dir[n] := m; last := m; steps := steps + 1;
  end;
end;
ruleset n : ANY; m : ANY do
  rule "any" !isundefined(last) & n = last ==> any[n] := m; undefine last; end;
end;
