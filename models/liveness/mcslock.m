-- Progress of the MCS queue lock.
--
-- The algorithm, its source and its parameters: ../mcslock.m, which has the
-- same states. A process may rest for ever, so its first step is neither fair
-- nor helpful; every other rule is weakly fair for each process.
-- Source of the property: B. Bingham's PhD thesis (University of British
-- Columbia, 2015), Table 6.1 (mcslock5_wf) and Table 4.1 (mcslock6).
-- Expected: both hold.

const
  N : 4;

type
  PID  : scalarset(N);
  STEP : enum {
    Rest,          -- outside
    Swap,          -- acquire: put myself at the tail
    Raise,         -- acquire: I have a predecessor; raise my flag
    Link,          -- acquire: tell it who I am
    Spin,          -- acquire: until my flag is lowered
    Critical,
    Look,          -- release: is anybody behind me?
    Unhook,        -- release: nobody seen; compare-and-swap the tail
    Await,         -- release: somebody swapped in; wait for its link
    Hand           -- release: lower the flag of my successor
  };

var
  step : array [PID] of STEP;
  tail : PID;                       -- undefined: the lock is free
  next : array [PID] of PID;        -- undefined: no successor known
  flag : array [PID] of boolean;    -- raised: not my turn yet
  pred : array [PID] of PID;        -- local, between Swap and Link

startstate "free"
  undefine tail;
  undefine next;
  undefine pred;
  for i : PID do
    step[i] := Rest;
    flag[i] := false;
  end;
end;

ruleset i : PID do
  unhelpful rule "acquire: reset the link"
    step[i] = Rest
  ==>
    undefine next[i];
    step[i] := Swap;
  end;

  fair rule "acquire: swap"
    step[i] = Swap
  ==>
    if isundefined(tail) then
      step[i] := Critical;
    else
      pred[i] := tail;
      step[i] := Raise;
    end;
    tail := i;
  end;

  fair rule "acquire: raise the flag"
    step[i] = Raise
  ==>
    flag[i] := true;
    step[i] := Link;
  end;

  fair rule "acquire: link"
    step[i] = Link
  ==>
    next[pred[i]] := i;
    undefine pred[i];
    step[i] := Spin;
  end;

  fair rule "acquire: my turn"
    step[i] = Spin & !flag[i]
  ==>
    step[i] := Critical;
  end;

  fair rule "release"
    step[i] = Critical
  ==>
    step[i] := Look;
  end;

  fair rule "release: look for a successor"
    step[i] = Look
  ==>
    if isundefined(next[i]) then
      step[i] := Unhook;
    else
      step[i] := Hand;
    end;
  end;

  fair rule "release: compare-and-swap"
    step[i] = Unhook
  ==>
    if tail = i then
      undefine tail;
      step[i] := Rest;
    else
      step[i] := Await;
    end;
  end;

  fair rule "release: the link is there"
    step[i] = Await & !isundefined(next[i])
  ==>
    step[i] := Hand;
  end;

  fair rule "release: hand over"
    step[i] = Hand
  ==>
    flag[next[i]] := false;
    step[i] := Rest;
  end;
end;

ruleset i : PID do
  liveness "who waits gets the lock"
    step[i] = Swap
    LEADSTO
    step[i] = Critical;
end;

liveness "the lock can become free"
  true
  CANGETTO
  isundefined(tail) & forall i : PID do step[i] = Rest end;
