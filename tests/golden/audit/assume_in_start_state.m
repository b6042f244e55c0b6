-- A start state that violates an assumption is no start state.
-- states: 2
-- fired: 2
-- verdict: holds

var x: 0..3;
ruleset i : 0..3 do startstate "s" begin x := i; assume "even" i % 2 = 0; end; end;
rule "up" begin x := (x + 2) % 4; end;
invariant "even" x % 2 = 0;
