-- Broken on purpose: processes leave the waiting room in no order.
--
-- As szymanski.m (see there for the protocol, its source and its parameters),
-- but the guard of "enter" does not wait for processes of lower number.
--
-- What goes wrong: invariant "mutual exclusion": two processes behind the
-- closed door enter together.
-- Verdict: violated (invariant).

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
    step[i] = Closed                     -- BROKEN
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
