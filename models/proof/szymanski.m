-- Szymanski's mutual exclusion, for proof by components.
--
-- Processes gather in a waiting room. The one that finds nobody at the door
-- closes it; those inside then go through the critical section in order of
-- their numbers. Flags are shared: 0 outside; 1 at the door; 2 inside, waiting
-- for others to come in; 3 in the doorway; 4 the door is closed. Places are
-- local. Each test over all flags is one step.
--
-- Finding the door open and walking through it are two steps, and so are
-- finding nobody at the door and closing it, as in the published text
-- (../szymanski.m makes them one). A process that has found the door open still
-- shows flag 1, as does one that is waiting, so who is about to close the door
-- cannot tell whether somebody will still walk in: this is what a proof has to
-- expose.
--
-- Source: B. K. Szymanski, "A simple solution to Lamport's concurrent
--   programming problem with linear wait", International Conference on
--   Supercomputing, 1988. As a benchmark: Cohen, Namjoshi, Sa'ar, Zuck,
--   Kisyova, "Model checking in bits and pieces", Table 1.
-- Parameters: N processes.
-- Properties: mutual exclusion.
-- Counts (states / rules fired):
--   N        states / rules
--   3             374 / 780
--   5       13,718 / 44,914
--   7   481,454 / 2,186,000
-- Proof: thread-modular no; split no; split with "it has found the door open"
--   for each process, yes.
-- Verdict: holds.

const
  N : 3;

type
  PID   : 1..N;
  FLAG  : 0..4;
  PLACE : enum {
    Rest,        -- flag 0
    AtDoor,      -- flag 1: until all flags are 0, 1 or 2
    Open,        -- flag 1: it has found the door open
    Doorway,     -- flag 3: is somebody at the door?
    Alone,       -- flag 3: it has found nobody at the door
    Inside,      -- flag 2: until somebody has closed the door
    Closed,      -- flag 4: until nobody of lower number is inside
    Critical,    -- flag 4
    Leave        -- flag 4: until nobody of higher number is in the doorway
  };

var
  flag  : array [PID] of FLAG;
  place : array [PID] of PLACE;

startstate "all outside"
  for i : PID do
    flag[i] := 0;
    place[i] := Rest;
  end;
end;

ruleset i : PID do
  rule "ask"
    place[i] = Rest
  ==>
    flag[i] := 1;
    place[i] := AtDoor;
  end;

  rule "find the door open"
    place[i] = AtDoor & forall j : PID do flag[j] <= 2 end
  ==>
    place[i] := Open;
  end;

  rule "go into the doorway"
    place[i] = Open
  ==>
    flag[i] := 3;
    place[i] := Doorway;
  end;

  rule "let the others in"
    place[i] = Doorway & exists j : PID do flag[j] = 1 end
  ==>
    flag[i] := 2;
    place[i] := Inside;
  end;

  rule "find nobody at the door"
    place[i] = Doorway & forall j : PID do flag[j] != 1 end
  ==>
    place[i] := Alone;
  end;

  rule "close the door"
    place[i] = Alone
  ==>
    flag[i] := 4;
    place[i] := Closed;
  end;

  rule "see the door closed"
    place[i] = Inside & exists j : PID do flag[j] = 4 end
  ==>
    flag[i] := 4;
    place[i] := Closed;
  end;

  rule "enter"
    place[i] = Closed & forall j : PID do j < i -> flag[j] <= 1 end
  ==>
    place[i] := Critical;
  end;

  rule "finish"
    place[i] = Critical
  ==>
    place[i] := Leave;
  end;

  rule "leave"
    place[i] = Leave &
    forall j : PID do j > i -> flag[j] <= 1 | flag[j] = 4 end
  ==>
    flag[i] := 0;
    place[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    i != j & place[i] = Critical -> place[j] != Critical
  end end;
