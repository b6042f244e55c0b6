-- A range that ends before it begins is empty.
-- rumur: no, it refuses empty upward ranges
-- states: 2
-- fired: 2
-- verdict: holds

var x: 0..3;
startstate begin x := 0; end;
rule "never inside" begin for i := 3 to 1 do x := 3; end; x := (x + 1) % 2; end;
ruleset i : 3..1 do rule "no instance" begin x := 3; end; end;
invariant "small" x < 2;
invariant "nothing" forall i := 2 to 1 do false end & !exists i := 2 to 1 do true end;
