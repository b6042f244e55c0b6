-- Peterson's mutual exclusion for N processes, with a historic typo.
--
-- This is peterson.m with one digit changed, in the rule "leave the critical
-- section": the process goes back to level 1, not to level 0. So it looks as
-- if it still competed. A process that waits on level 1 then waits for nothing:
-- it can go on only after another process tries and becomes the victim.
--
-- Source: the model of Peterson's algorithm in the Murphi distribution had a
--   typo with this effect for about twenty years; it was found by checking
--   deadlock freedom with helpful rules: B. Bingham's PhD thesis (University
--   of British Columbia, 2015), section 4.4. The algorithm: see peterson.m.
-- Parameters: N, at least 2.
-- Properties: mutual exclusion holds, there is no deadlock, and from every
--   state each process can get back to rest in some way (AG EF), so plain
--   checking is content. What fails is that a process can finish without the
--   help of a newcomer, that is, with "try" marked unhelpful:
--     ruleset i : PID do
--       liveness "who competes can finish"
--         step[i] != Rest CANGETTO step[i] = Rest;
--     end;
--   This is liveness/peterson_buggy.m; liveness/peterson_helpful.m is the same
--   question for the right algorithm.
-- Counts (states / rules fired):
--   N           no symmetry   exact symmetry
--   3           882 / 2,040        172 / 411
--   4       22,281 / 64,024    1,132 / 3,372
--   5   628,868 / 2,226,300   6,770 / 24,718
-- Verdict: holds (the invariants); the deadlock freedom above is violated.

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
    level[i] := 1;                    -- the typo: 0 is meant
    step[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    step[i] = Critical & step[j] = Critical -> i = j
  end end;

invariant "a process that waits has a victim on its level"
  forall i : PID do
    step[i] = Wait -> !isundefined(victim[goal[i]])
  end;
