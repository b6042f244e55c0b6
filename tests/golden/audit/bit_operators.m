-- Bit operators on integers, logical on booleans.
-- rumur: no, shifts into wide values differ with its value type
-- states: 32
-- fired: 192
-- verdict: holds

var x: 0..15; b: boolean;
startstate begin x := 0; b := false; end;
rule "or" begin x := x | 5; b := b | x = 5; end;
rule "xor" begin x := x ^ 3; end;
rule "and" begin x := x & 6; b := b & false; end;
rule "not" begin x := ~x & 15; end;
rule "shift" begin x := (x << 1) & 15; end;
rule "unshift" begin x := x >> 1; end;
invariant "distances" 1 << 3 = 8 & 8 >> 3 = 1 & 1 << -1 = 0 & 1 << 64 = 0 & (-1) >> 70 = -1;
