-- Deadlock freedom of Peterson's algorithm with the historic typo.
--
-- The algorithm and the typo: ../peterson_buggy.m. "try" is unhelpful: who
-- competes must be able to finish without a newcomer. That fails: once a
-- process has been in its critical section, it stays announced on level 1, and
-- a process that is the victim there waits until another one tries. With all
-- rules helpful the property holds, and so do all invariants.
-- Source of the property: B. Bingham's PhD thesis (University of British
-- Columbia, 2015), section 4.4.
-- Expected: violated.

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
  unhelpful rule "try"
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

ruleset i : PID do
  liveness "who competes can finish"
    step[i] != Rest
    CANGETTO
    step[i] = Rest;
end;
