-- The MCS queue lock.
--
-- Waiting processes form a linked list; each spins on a flag of its own. To
-- acquire, a process swaps itself into the tail pointer. If there was a
-- predecessor it raises its own flag, links itself behind, and spins. To
-- release, it lowers the flag of its successor. If it sees no successor it
-- tries to swing the tail from itself to nil; if that fails, somebody is about
-- to link in, and it waits for the link.
--
-- Each shared access is a step of its own: swap, compare-and-swap, and every
-- read and write of a flag or a link. A nil pointer is an undefined one, so
-- that processes can be a scalarset.
--
-- Source: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable
--   synchronization on shared-memory multiprocessors", ACM Transactions on
--   Computer Systems 9(1), 1991.
-- Parameters: N processes (a scalarset).
-- Properties: mutual exclusion; a free lock has no process in or past the
--   critical section; nobody waits for a link that nobody will make; no
--   deadlock. Response under fairness: liveness/mcslock.m.
-- Counts (states / rules fired):
--   N           no symmetry   exact symmetry
--   3           893 / 2,247        158 / 402
--   4       15,920 / 52,544      734 / 2,456
--   5   343,797 / 1,404,905   3,301 / 13,697
-- Verdict: holds.

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
    flag[i] := true;
    step[i] := Link;
  end;

  rule "acquire: link"
    step[i] = Link
  ==>
    next[pred[i]] := i;
    undefine pred[i];
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

invariant "an awaited link will come"
  forall i : PID do
    step[i] = Await & isundefined(next[i]) ->
    exists j : PID do
      (step[j] = Raise | step[j] = Link) & pred[j] = i
    end
  end;
