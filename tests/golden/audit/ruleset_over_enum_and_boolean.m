-- Enums and booleans are finite types.
-- states: 6
-- fired: 30
-- verdict: holds

type colour : enum { red, green, blue };
var c: colour; lit: boolean;
startstate begin c := red; lit := false; end;
ruleset d : colour do ruleset b : boolean do
  rule "paint" c != d | lit != b ==> begin c := d; lit := b; end;
end; end;
