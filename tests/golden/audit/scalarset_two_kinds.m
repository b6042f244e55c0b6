-- Two scalarsets permute on their own; arrays from one to the other.
-- symmetry: exhaustive
-- states: 10
-- fired: 28
-- verdict: holds

type p : scalarset(3); v : scalarset(2);
var a: array [p] of v; last: p;
startstate begin undefine a; undefine last; end;
ruleset i : p; x : v do
  rule "set" isundefined(a[i]) ==> begin a[i] := x; last := i; end;
end;
ruleset i : p do rule "unset" !isundefined(last) & last = i ==> begin undefine a[i]; undefine last; end; end;
