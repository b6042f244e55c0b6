-- A small real protocol with functions, loops and two processes.
-- states: 21
-- fired: 30
-- verdict: holds

const N : 2; LIMIT : 3;
type id : 1..N; ticket : 0..LIMIT;
var number: array [id] of ticket; critical: array [id] of boolean;
function highest(): ticket;
var best: ticket;
begin
  best := 0;
  for i : id do if number[i] > best then best := number[i]; end; end;
  return best;
end;
startstate begin for i : id do number[i] := 0; critical[i] := false; end; end;
ruleset i : id do
  rule "draw" number[i] = 0 & highest() < LIMIT ==> begin number[i] := highest() + 1; end;
  rule "enter" number[i] > 0 & !critical[i] &
    forall j : id do number[j] = 0 | number[i] < number[j] | i = j end ==>
  begin critical[i] := true; end;
  rule "leave" critical[i] ==> begin critical[i] := false; number[i] := 0; end;
end;
invariant "exclusion" !(critical[1] & critical[2]);
