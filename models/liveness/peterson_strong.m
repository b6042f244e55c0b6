-- Response of Peterson's algorithm under strong fairness.
--
-- The algorithm, its source and its parameters: ../peterson.m, which has the
-- same states. Every rule is strongly fair for each process, also "try": more
-- than the property needs.
-- Source of the property: B. Bingham's PhD thesis (University of British
-- Columbia, 2015), Table 6.1 (peterson6_sf, peterson7_sf).
-- Expected: holds.

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
  strong fair rule "try"
    step[i] = Rest
  ==>
    goal[i] := 1;
    step[i] := Announce;
  end;

  strong fair rule "announce the level"
    step[i] = Announce
  ==>
    level[i] := goal[i];
    step[i] := Yield;
  end;

  strong fair rule "become the victim"
    step[i] = Yield
  ==>
    victim[goal[i]] := i;
    step[i] := Wait;
  end;

  strong fair rule "pass to the next level"
    step[i] = Wait & MayPass(i) & goal[i] < N - 1
  ==>
    goal[i] := goal[i] + 1;
    step[i] := Announce;
  end;

  strong fair rule "enter the critical section"
    step[i] = Wait & MayPass(i) & goal[i] = N - 1
  ==>
    step[i] := Critical;
  end;

  strong fair rule "leave the critical section"
    step[i] = Critical
  ==>
    level[i] := 0;
    step[i] := Rest;
  end;
end;

ruleset i : PID do
  liveness "who tries gets in"
    step[i] = Announce
    LEADSTO
    step[i] = Critical;
end;
