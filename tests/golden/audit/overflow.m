-- Arithmetic beyond 64 bits is an error.
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "overflow" violated

var x: 0..9;
startstate begin x := 9; end;
rule "square" begin
  x := (((x * 1000000000) * 1000000000) * 1000) / 1000000000;
end;
