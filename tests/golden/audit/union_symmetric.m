-- The same union, one state for each orbit.
-- symmetry: exhaustive
-- rumur: no, it does not check unions
-- states: 7
-- fired: 10
-- verdict: holds

type node : scalarset(2); home : enum { Home }; any : union { node, home };
var at: any; n: node; seen: array [any] of boolean;
startstate begin at := Home; undefine n; for i : any do seen[i] := false; end; end;
ruleset i : node do
  rule "go" at = Home ==> begin at := i; seen[at] := true; end;
end;
rule "back" ismember(at, node) ==> begin n := at; at := Home; seen[Home] := true; end;
