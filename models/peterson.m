-- Peterson's mutual exclusion for N processes (the "filter" lock).
--
-- A process climbs N-1 levels. On each level it first announces the level
-- (one write), then names itself the level's victim (a second write), then
-- waits until no other process has announced that level or a higher one, or
-- until somebody else became the victim. At least one process stays behind on
-- each level, so only one comes out at the top. The test of the wait reads
-- everything in one step, as in the models of the literature.
--
-- Source: G. L. Peterson, "Myths about the mutual exclusion problem",
--   Information Processing Letters 12(3), 1981. As a benchmark: B. Bingham's
--   PhD thesis (University of British Columbia, 2015), chapters 4 and 6.
-- Parameters: N, at least 2. Processes are a scalarset, levels are a range.
-- Properties: mutual exclusion, two facts about the bookkeeping, no deadlock.
--   Response under fairness: liveness/peterson_weak.m and peterson_strong.m.
-- Counts (states / rules fired):
--   N               no symmetry   exact symmetry
--   2                  53 / 100          28 / 53
--   3             1,164 / 2,946        223 / 574
--   4           24,293 / 75,048    1,284 / 4,110
--   5       551,648 / 1,997,460   6,389 / 24,284
--   6   13,817,679 / 57,345,336
--   The published peterson6 (thesis, Table 6.1), 13,817,679 states without
--   symmetry, is reproduced: `goal` keeps its old value at rest for that. N = 6
--   was counted with mutual exclusion as the only invariant.
-- Verdict: holds.

const
  N : 4;

type
  PID   : scalarset(N);
  LEVEL : 0..N - 1;          -- 0: not competing

  STEP  : enum { Rest, Announce, Yield, Wait, Critical };

var
  step   : array [PID] of STEP;
  goal   : array [PID] of LEVEL;        -- the level it works on; kept at rest
  level  : array [PID] of LEVEL;        -- the level it has announced
  victim : array [1..N - 1] of PID;     -- who came last; undefined: nobody yet

-- Process i has the way free on the level it works on.
function MayPass(i : PID) : boolean;
begin
  return victim[goal[i]] != i |
         forall j : PID do j != i -> level[j] < goal[i] end;
end;

startstate "nobody competes"
  for i : PID do
    step[i] := Rest;
    level[i] := 0;
  end;
  undefine goal;
  undefine victim;
end;

ruleset i : PID do
  rule "try"
    step[i] = Rest
  ==>
    goal[i] := 1;
    step[i] := Announce;
  end;

  rule "announce the level"
    step[i] = Announce
  ==>
    level[i] := goal[i];
    step[i] := Yield;
  end;

  rule "become the victim"
    step[i] = Yield
  ==>
    victim[goal[i]] := i;
    step[i] := Wait;
  end;

  rule "pass to the next level"
    step[i] = Wait & MayPass(i) & goal[i] < N - 1
  ==>
    goal[i] := goal[i] + 1;
    step[i] := Announce;
  end;

  rule "enter the critical section"
    step[i] = Wait & MayPass(i) & goal[i] = N - 1
  ==>
    step[i] := Critical;
  end;

  rule "leave the critical section"
    step[i] = Critical
  ==>
    level[i] := 0;
    step[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    step[i] = Critical & step[j] = Critical -> i = j
  end end;

invariant "only who competes has a level"
  forall i : PID do
    step[i] = Rest ? level[i] = 0 : level[i] <= goal[i]
  end;

invariant "a process that waits has a victim on its level"
  forall i : PID do
    step[i] = Wait -> !isundefined(victim[goal[i]])
  end;
