-- Over types, ranges, steps, downward, and with bounds worked out at run time.
-- states: 6
-- fired: 6
-- verdict: holds

var s: 0..60; n: 1..3; phase: 0..5;
startstate begin s := 0; n := 2; phase := 0; end;
rule "type" phase = 0 ==> begin for i : 0..3 do s := s + i; end; phase := 1; end;
rule "range" phase = 1 ==> begin for i := 1 to n do s := s + i; end; phase := 2; end;
rule "by two" phase = 2 ==> begin for i := 0 to 5 by 2 do s := s + i; end; phase := 3; end;
rule "down" phase = 3 ==> begin for i := n + 1 to 1 by -1 do s := s + i; end; phase := 4; end;
rule "nested" phase = 4 ==> begin for i : boolean do for j : 0..1 do if i then s := s + j; end; end; end; phase := 5; end;
rule "check" phase = 5 ==> begin assert "sum" s = 6 + 3 + 6 + 6 + 1; phase := 0; s := 0; n := (n = 2 ? 2 : 3); end;
