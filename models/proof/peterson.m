-- Peterson's mutual exclusion for N processes, for proof by components.
--
-- A process climbs N - 1 levels. To step onto a level it announces the level
-- and names itself the level's victim, both in one step; it may go on when
-- somebody else has become the victim, or when all others are on lower levels.
-- ../peterson.m writes the two one after the other.
--
-- Levels and victims are shared; local is only whether the process rests, waits
-- or is inside. So the view of one process has almost everything in it, no
-- auxiliary is needed, and the summaries are large.
--
-- Source: G. L. Peterson, "Myths about the mutual exclusion problem",
--   Information Processing Letters 12(3), 1981. As a benchmark: Cohen,
--   Namjoshi, Sa'ar, Zuck, Kisyova, "Model checking in bits and pieces",
--   Table 1.
-- Parameters: N processes, at least 2.
-- Properties: mutual exclusion.
-- Counts (states / rules fired):
--   N      states / rules
--   3            81 / 168
--   4         876 / 2,192
--   5     11,365 / 33,030
--   6   168,738 / 555,672
-- Proof: split yes, without auxiliaries; thread-modular too (N = 2, 3).
-- Verdict: holds.

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
    level[i] := 1;
    victim[1] := i;
    place[i] := Wait;
  end;

  rule "climb"
    place[i] = Wait & level[i] > 0 & level[i] < N - 1 & MayPass(i)
  ==>
    level[i] := level[i] + 1;
    victim[level[i]] := i;
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
