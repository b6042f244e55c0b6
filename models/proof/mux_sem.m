-- MUX-SEM: mutual exclusion by a binary semaphore, for proof by components.
--
-- Each process goes round four places: rest, request the semaphore, critical
-- section, release. The semaphore is shared, the place is local. Nothing that
-- the others see of a process tells whether it is inside, so any of them may
-- seem to release the semaphore at any time: every view is possible, and the
-- proof must expose one bit a process, "it is inside".
--
-- Source: Meng, He, Wang, Liu, "Thread-Modular Model Checking with Iterative
--   Refinement", Fig. 1 and Table 1; Cohen, Namjoshi, Sa'ar, Zuck, Kisyova,
--   "Model checking in bits and pieces", Table 1; A. Cohen, K. S. Namjoshi,
--   "Local proofs for linear-time properties of concurrent programs", Fig. 1.
-- Parameters: N processes.
-- Properties: mutual exclusion.
-- Counts (states / rules fired):
--   N      states / rules
--   4            80 / 224
--   8      2,304 / 11,264
--   12   53,248 / 368,640
-- Proof: thread-modular no; split no; split with "P[i] is inside" for each i,
--   yes.
-- Verdict: holds.

const
  N : 4;

type
  PID   : 1..N;
  PLACE : enum { Rest, Request, Critical, Release };

var
  free  : boolean;                 -- the semaphore
  place : array [PID] of PLACE;

startstate "free"
  free := true;
  for i : PID do
    place[i] := Rest;
  end;
end;

ruleset i : PID do
  rule "want"
    place[i] = Rest
  ==>
    place[i] := Request;
  end;

  rule "take the semaphore"
    place[i] = Request & free
  ==>
    free := false;
    place[i] := Critical;
  end;

  rule "finish"
    place[i] = Critical
  ==>
    place[i] := Release;
  end;

  rule "release the semaphore"
    place[i] = Release
  ==>
    free := true;
    place[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    i != j & (place[i] = Critical | place[i] = Release) ->
    place[j] != Critical & place[j] != Release
  end end;
