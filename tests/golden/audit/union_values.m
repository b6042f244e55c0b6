-- A union of an enum and a scalarset.
-- rumur: no, it does not check unions
-- states: 13
-- fired: 18
-- verdict: holds

type node : scalarset(2); home : enum { Home }; any : union { node, home };
var at: any; n: node; seen: array [any] of boolean;
startstate begin at := Home; undefine n; for i : any do seen[i] := false; end; end;
ruleset i : node do
  rule "go" at = Home ==> begin at := i; seen[at] := true; end;
end;
rule "back" ismember(at, node) ==> begin n := at; at := Home; seen[Home] := true; end;
invariant "a node or home" ismember(at, home) = (at = Home);
invariant "n is a node" !isundefined(n) -> seen[n];
