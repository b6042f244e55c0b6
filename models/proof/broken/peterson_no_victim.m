-- Peterson's algorithm with the wrong turn.
--
-- As ../peterson.m, but a process that comes onto a level leaves the victim there
-- as it was.
--
-- Parameters: N processes, at least 2.
-- Properties: mutual exclusion.
-- Proof: none; every method has to leave it open or find the violation.
-- Verdict: violated.

const
  N : 3;

type
  PID   : 1..N;
  LEVEL : 0..N - 1;                -- 0: not competing
  PLACE : enum { Rest, Wait, Critical };

var
  level  : array [PID] of LEVEL;
  victim : array [1..N - 1] of PID;
  place  : array [PID] of PLACE;

-- Process i has the way free on its level.
function MayPass(i : PID) : boolean;
begin
  return victim[level[i]] != i |
         forall j : PID do j = i | level[j] < level[i] end;
end;

startstate "nobody competes"
  for i : PID do
    level[i] := 0;
    place[i] := Rest;
  end;
  for l : 1..N - 1 do
    victim[l] := 1;
  end;
end;

ruleset i : PID do
  rule "try"
    place[i] = Rest
  ==>
    level[i] := 1;                 -- BROKEN: victim[1] := i is missing
    place[i] := Wait;
  end;

  rule "climb"
    place[i] = Wait & level[i] > 0 & level[i] < N - 1 & MayPass(i)
  ==>
    level[i] := level[i] + 1;      -- BROKEN: victim[level[i]] := i is missing
  end;

  rule "enter"
    place[i] = Wait & level[i] = N - 1 & MayPass(i)
  ==>
    place[i] := Critical;
  end;

  rule "leave"
    place[i] = Critical
  ==>
    level[i] := 0;
    place[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    i != j & place[i] = Critical -> place[j] != Critical
  end end;
