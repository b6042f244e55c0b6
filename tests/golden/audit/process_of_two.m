-- A process may be numbered by two parameters.
-- rumur: no, the words are ours
-- states: 81
-- fired: 324
-- verdict: holds

var grid: array [0..1] of array [boolean] of 0..2;
startstate begin clear grid; end;
process "Cell" i : 0..1; j : boolean do
  rule "up" grid[i][j] < 2 ==> begin grid[i][j] := grid[i][j] + 1; end;
  rule "wrap" grid[i][j] = 2 ==> begin grid[i][j] := 0; end;
end;
