-- Broken on purpose: the flag goes up after the link is made.
--
-- As mcslock.m (see there for the protocol, its source and its parameters),
-- but the actions of "acquire: raise the flag" and "acquire: link" have
-- changed places. (The invariant about links speaks of the right order and is
-- left out.)
--
-- What goes wrong: deadlock: the predecessor may see the link and lower the
-- flag before it is raised; the successor then spins for ever, and everybody
-- behind it.
-- Verdict: violated (deadlock).

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
  rule "acquire: reset the link"
    step[i] = Rest
  ==>
    undefine next[i];
    step[i] := Swap;
  end;

  rule "acquire: swap"
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

  rule "acquire: raise the flag"
    step[i] = Raise
  ==>
    next[pred[i]] := i;                  -- BROKEN
    undefine pred[i];
    step[i] := Link;
  end;

  rule "acquire: link"
    step[i] = Link
  ==>
    flag[i] := true;                     -- BROKEN
    step[i] := Spin;
  end;

  rule "acquire: my turn"
    step[i] = Spin & !flag[i]
  ==>
    step[i] := Critical;
  end;

  rule "release"
    step[i] = Critical
  ==>
    step[i] := Look;
  end;

  rule "release: look for a successor"
    step[i] = Look
  ==>
    if isundefined(next[i]) then
      step[i] := Unhook;
    else
      step[i] := Hand;
    end;
  end;

  rule "release: compare-and-swap"
    step[i] = Unhook
  ==>
    if tail = i then
      undefine tail;
      step[i] := Rest;
    else
      step[i] := Await;
    end;
  end;

  rule "release: the link is there"
    step[i] = Await & !isundefined(next[i])
  ==>
    step[i] := Hand;
  end;

  rule "release: hand over"
    step[i] = Hand
  ==>
    flag[next[i]] := false;
    step[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    step[i] = Critical & step[j] = Critical -> i = j
  end end;

invariant "a free lock has no holder"
  isundefined(tail) ->
  forall i : PID do step[i] = Rest | step[i] = Swap end;
