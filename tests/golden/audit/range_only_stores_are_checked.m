-- Intermediate values may leave every range.
-- rumur: no, it chooses a narrow type for its values
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..3;
startstate begin x := 0; end;
rule "around" begin x := (x + 1000 * 7 - 7000 + 1) % 4; end;
invariant "any comparison is fine" x + 100 > 50 & x - 100 < 0;
