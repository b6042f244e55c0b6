-- Broken on purpose: nobody takes the lock.
--
-- As mutex.m (see there for the protocol, its source and its parameters), but
-- the rule "enter" does not set `locked`; that line is gone.
--
-- What goes wrong: invariant "at most one thread works": two threads enter one
-- after the other.
-- Verdict: violated (invariant).

const
  THREADS : 2;

type
  -- A scalarset is a set of interchangeable names: no thread is special, and
  -- no rule can single one out. The checker may then treat "1 waits, 2 works"
  -- and "2 waits, 1 works" as one state, which is what symmetry counts.
  THREAD : scalarset(THREADS);

  -- What a thread is doing.
  PLACE : enum { Resting, Waiting, Working };

var
  -- The whole state of the system: where each thread is, and the lock.
  place  : array [THREAD] of PLACE;
  locked : boolean;

startstate "everybody rests"
  for t : THREAD do
    place[t] := Resting;
  end;
  locked := false;
end;

-- A ruleset is a family of rules, here one of each for every thread t. The
-- condition before ==> says when a rule may fire; what follows happens in one
-- step that nobody can interrupt.
ruleset t : THREAD do
  rule "want"
    place[t] = Resting
  ==>
    place[t] := Waiting;
  end;

  rule "enter"
    place[t] = Waiting & !locked
  ==>
    -- BROKEN: the line that takes the lock is missing here.
    place[t] := Working;
  end;

  rule "leave"
    place[t] = Working
  ==>
    locked := false;
    place[t] := Resting;
  end;
end;

-- The property. `->` is "implies".
invariant "at most one thread works"
  forall a : THREAD do forall b : THREAD do
    place[a] = Working & place[b] = Working -> a = b
  end end;
