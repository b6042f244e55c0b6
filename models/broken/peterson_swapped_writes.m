-- Broken on purpose: the two writes of a level are swapped.
--
-- As peterson.m (see there for the protocol, its source and its parameters),
-- but a process names itself victim first and announces its level second: the
-- actions of "announce the level" and "become the victim" have changed places.
--
-- What goes wrong: invariant "mutual exclusion": a process passes a level that
-- another is about to announce.
-- Verdict: violated (invariant).

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
    victim[goal[i]] := i;                -- BROKEN
    step[i] := Yield;
  end;

  rule "become the victim"
    step[i] = Yield
  ==>
    level[i] := goal[i];                 -- BROKEN
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
