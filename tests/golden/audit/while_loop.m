-- A loop that ends.
-- states: 2
-- fired: 2
-- verdict: holds

var x: 0..40;
startstate begin x := 0; end;
rule "fill" x = 0 ==> begin while x < 37 do x := x + 5; end; end;
rule "drain" x > 0 ==> begin while x > 0 do x := x - 1; end; end;
