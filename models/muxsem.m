-- MUX-SEM: mutual exclusion by a binary semaphore.
--
-- Each process goes round four places: rest, request the semaphore, critical
-- section, release. The semaphore is the only shared variable. Small as it is,
-- it separates the compositional methods: what one process can see of the
-- others through the semaphore alone does not prove mutual exclusion; the
-- proof must expose where the others are.
--
-- Source: Meng, He, Wang, Liu, "Thread-Modular Model Checking with Iterative
--   Refinement", Fig. 1; also A. Cohen, K. S. Namjoshi, "Local proofs for
--   linear-time properties of concurrent programs", CAV 2008.
-- Parameters: N processes (a scalarset).
-- Properties: mutual exclusion; no deadlock. Response, which needs strong
--   fairness: liveness/muxsem_weak.m and muxsem_strong.m.
-- Counts (states / rules fired):
--   N        no symmetry   exact symmetry
--   4           80 / 224          13 / 40
--   6        448 / 1,728          19 / 84
--   10   11,264 / 66,560
-- Verdict: holds.

const
  N : 6;

type
  PID  : scalarset(N);
  STEP : enum { Rest, Request, Critical, Release };

var
  x    : boolean;                 -- the semaphore; true: free
  step : array [PID] of STEP;

startstate "free"
  x := true;
  for i : PID do
    step[i] := Rest;
  end;
end;

ruleset i : PID do
  rule "want"
    step[i] = Rest
  ==>
    step[i] := Request;
  end;

  rule "request the semaphore"
    step[i] = Request & x
  ==>
    x := false;
    step[i] := Critical;
  end;

  rule "finish"
    step[i] = Critical
  ==>
    step[i] := Release;
  end;

  rule "release the semaphore"
    step[i] = Release
  ==>
    x := true;
    step[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    (step[i] = Critical | step[i] = Release) &
    (step[j] = Critical | step[j] = Release) -> i = j
  end end;
