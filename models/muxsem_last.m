-- MUX-SEM-LAST: mutual exclusion by a semaphore that notes its last holder.
--
-- As muxsem.m, but taking the semaphore also writes the taker into the shared
-- variable `last`. This makes a compositional proof easier: `last` already
-- tells every process who is critical.
--
-- Source: Meng, He, Wang, Liu, "Thread-Modular Model Checking with Iterative
--   Refinement", Fig. 4(a); also A. Cohen, K. S. Namjoshi, "Local proofs for
--   linear-time properties of concurrent programs", CAV 2008.
-- Parameters: N processes (a scalarset).
-- Properties: mutual exclusion; who is critical was the last to take the
--   semaphore; no deadlock.
-- Counts (states / rules fired):
--   N         no symmetry   exact symmetry
--   4           144 / 480          21 / 72
--   6         832 / 4,032         31 / 156
--   10   21,504 / 168,960
-- Verdict: holds.

const
  N : 6;

type
  PID  : scalarset(N);
  STEP : enum { Rest, Request, Critical, Release };

var
  x    : boolean;                 -- the semaphore; true: free
  step : array [PID] of STEP;
  last : PID;                     -- undefined: nobody yet

startstate "free"
  x := true;
  for i : PID do
    step[i] := Rest;
  end;
  undefine last;
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
    last := i;
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

invariant "the critical process came last"
  forall i : PID do
    step[i] = Critical | step[i] = Release -> last = i
  end;
