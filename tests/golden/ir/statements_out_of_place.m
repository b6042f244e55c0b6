-- Liveness is about all states.
-- rumur: no, it does not parse

var x: 0..3;
startstate begin
  x := 0;
  liveness "l" x = 0; --~ error: `liveness` is about all states
end;
