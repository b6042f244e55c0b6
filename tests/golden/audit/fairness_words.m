-- CMurphi's words about fairness are read and said to matter little.
-- rumur: no, it does not know the words
-- states: 4
-- fired: 4
-- verdict: holds

var x: 0..3;
startstate begin x := 0; end;
rule unfair "up" begin x := (x + 1) % 4; end;
fairness "often" x = 0; --~ warning: only matters to properties with LEADSTO
