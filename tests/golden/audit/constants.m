-- Constants of constants, and folding.
-- states: 32
-- fired: 32
-- verdict: holds

const A : 3; B : A * 2 + 1; C : B > A; D : C ? A : B; E : (1 << 4) - 1;
var x: 0..B; y: 0..D;
startstate begin x := E - 8; y := 0; end;
rule "x" x > 0 & C ==> begin x := x - 1; end;
rule "y" x = 0 ==> begin x := B; y := (y + 1) % (D + 1); end;
