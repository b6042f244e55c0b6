-- Equal start states are one state; a ruleset makes several.
-- states: 6
-- fired: 6
-- verdict: holds

var x: 0..5; b: boolean;
startstate "a" begin x := 0; b := false; end;
startstate "b" begin x := 0; b := false; end;
ruleset i : 2..3 do startstate "c" begin x := i; b := true; end; end;
rule "flip" begin b := !b; end;
