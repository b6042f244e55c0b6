-- A first model: threads that share one lock.
--
-- This file shows all there is to a Murphi model: constants, types, variables
-- (together: the state), a start state, rules (what may happen next) and a
-- property. A checker tries every rule in every state it can reach, and asks
-- in each of them whether the property is true.
--
-- Source: the test-and-set lock of every textbook; none in particular.
-- Parameters: THREADS, how many threads there are.
-- Properties: at most one thread is in its critical section; no deadlock.
-- Counts (states / rules fired):
--   THREADS     no symmetry   exact symmetry
--   2                8 / 14            5 / 9
--   3               20 / 48           7 / 18
--   5             112 / 400          11 / 45
--   8         1,280 / 6,656
-- Verdict: holds.
--
-- Try this: delete the line marked BREAK ME. Nobody takes the lock any more,
-- so two threads can enter, and the checker prints the shortest way there.

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
    locked := true;                                               -- BREAK ME
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
