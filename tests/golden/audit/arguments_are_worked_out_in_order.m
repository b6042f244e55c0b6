-- Arguments with effects, nested calls, and records by value.
-- states: 3
-- fired: 3
-- verdict: holds

type r : record a: 0..9; b: 0..9; end;
var n: 0..9; v: r;
function next(): 0..9; begin n := (n + 1) % 10; return n; end;
function pair(a: 0..9; b: 0..9): 0..99; begin return a * 10 + b; end;
function sum(x: r; k: 0..9): 0..99; begin return x.a + x.b + k; end;
startstate begin n := 0; v.a := 1; v.b := 2; end;
rule "count" n < 6 ==>
var p: 0..99;
begin
  p := pair(next(), next());
  assert "in order" p = (n - 1) * 10 + n;
  assert "nested" sum(v, pair(0, next())) = 3 + n;
end;
rule "restart" n >= 6 ==> begin n := 0; end;
