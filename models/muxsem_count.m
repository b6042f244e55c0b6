-- MUX-SEM-COUNT: mutual exclusion by a semaphore, with idle local counters.
--
-- As muxsem.m, but each process counts, modulo M, how often it took the
-- semaphore. The counters do not matter for mutual exclusion. They blow up the
-- product of all processes, M^N times, and cost a compositional method almost
-- nothing, because each counter is local.
--
-- Source: Meng, He, Wang, Liu, "Thread-Modular Model Checking with Iterative
--   Refinement", Fig. 4(b); also A. Cohen, K. S. Namjoshi, "Local proofs for
--   linear-time properties of concurrent programs", CAV 2008.
-- Parameters: N processes (a scalarset), M the modulus of the counters.
-- Properties: mutual exclusion; no deadlock.
-- Counts (states / rules fired):
--   N, M           no symmetry   exact symmetry
--   4, 3        6,480 / 18,144      462 / 1,344
--   5, 3      46,656 / 155,520    1,008 / 3,528
--   6, 3   326,592 / 1,259,712
-- Verdict: holds.

const
  N : 4;
  M : 3;

type
  PID  : scalarset(N);
  STEP : enum { Rest, Request, Critical, Release };

var
  x    : boolean;                 -- the semaphore; true: free
  step : array [PID] of STEP;
  counter : array [PID] of 0..M - 1;

startstate "free"
  x := true;
  for i : PID do
    step[i] := Rest;
    counter[i] := 0;
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
    counter[i] := (counter[i] + 1) % M;
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
