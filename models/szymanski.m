-- Szymanski's mutual exclusion algorithm.
--
-- Processes gather in a waiting room. The one that finds nobody outside
-- standing at the door closes it (flag 4); those inside then leave for the
-- critical section in order of their numbers, and the last one out opens the
-- door again. The five flag values: 0 outside; 1 asks to come in; 2 inside,
-- waits for others to come in; 3 in the doorway; 4 the door is closed. Each
-- test over all flags is one step, as in the benchmark's usual form.
--
-- Source: B. K. Szymanski, "A simple solution to Lamport's concurrent
--   programming problem with linear wait", International Conference on
--   Supercomputing, 1988. As a benchmark of parallel compositional checking:
--   Cohen, Namjoshi, Sa'ar, Zuck, Kisyova, "Model checking in bits and
--   pieces", Table 1.
-- Parameters: N processes. Their numbers are compared: a range, no symmetry.
-- Properties: mutual exclusion; the door is closed while somebody is critical;
--   flag and step agree; no deadlock.
-- Counts (states / rules fired):
--   N      states / rules
--   3           140 / 263
--   4         589 / 1,365
--   5       2,390 / 6,617
--   6      9,523 / 30,767
--   7    37,616 / 139,295
--   8   148,057 / 619,513
-- Verdict: holds.

const
  N : 5;

type
  PID  : 1..N;
  FLAG : 0..4;
  STEP : enum {
    Rest,        -- flag 0
    AtDoor,      -- flag 1: until all others are 0, 1 or 2
    Doorway,     -- flag 3: is somebody else at the door?
    Inside,      -- flag 2: until somebody has closed the door
    Closed,      -- flag 4: until nobody of lower number is inside
    Critical,    -- flag 4
    Leave        -- flag 4: until nobody of higher number is in the doorway
  };

var
  step : array [PID] of STEP;
  flag : array [PID] of FLAG;

startstate "all outside"
  for i : PID do
    step[i] := Rest;
    flag[i] := 0;
  end;
end;

ruleset i : PID do
  rule "ask"
    step[i] = Rest
  ==>
    flag[i] := 1;
    step[i] := AtDoor;
  end;

  rule "the door is open"
    step[i] = AtDoor & forall j : PID do flag[j] <= 2 end
  ==>
    flag[i] := 3;
    step[i] := Doorway;
  end;

  rule "somebody else is at the door"
    step[i] = Doorway & exists j : PID do flag[j] = 1 end
  ==>
    flag[i] := 2;
    step[i] := Inside;
  end;

  rule "close the door"
    step[i] = Doorway & forall j : PID do flag[j] != 1 end
  ==>
    flag[i] := 4;
    step[i] := Closed;
  end;

  rule "the door was closed"
    step[i] = Inside & exists j : PID do flag[j] = 4 end
  ==>
    flag[i] := 4;
    step[i] := Closed;
  end;

  rule "enter"
    step[i] = Closed & forall j : PID do j < i -> flag[j] <= 1 end
  ==>
    step[i] := Critical;
  end;

  rule "finish"
    step[i] = Critical
  ==>
    step[i] := Leave;
  end;

  rule "leave"
    step[i] = Leave &
    forall j : PID do j > i -> flag[j] <= 1 | flag[j] = 4 end
  ==>
    flag[i] := 0;
    step[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    step[i] = Critical & step[j] = Critical -> i = j
  end end;

invariant "a closed door while somebody is critical"
  forall i : PID do
    step[i] = Critical | step[i] = Leave -> flag[i] = 4
  end;

invariant "flag and step agree"
  forall i : PID do
    (step[i] = Rest) = (flag[i] = 0) & (step[i] = AtDoor) = (flag[i] = 1) &
    (step[i] = Inside) = (flag[i] = 2) & (step[i] = Doorway) = (flag[i] = 3)
  end;
