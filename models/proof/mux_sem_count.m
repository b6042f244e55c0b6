-- MUX-SEM-COUNT: mutual exclusion by a semaphore, with idle local counters,
-- for proof by components.
--
-- As mux_sem.m, but each process counts, modulo M, how often it took the
-- semaphore. The counters are local and the others never see them: they
-- multiply the states of the whole M^N times, and each component's views only
-- M times.
--
-- Source: Meng, He, Wang, Liu, "Thread-Modular Model Checking with Iterative
--   Refinement", Fig. 4(b) and Table 3; A. Cohen, K. S. Namjoshi, "Local proofs
--   for linear-time properties of concurrent programs", Table 1 (variant).
-- Parameters: N processes; M, the modulus of the counters.
-- Properties: mutual exclusion.
-- Counts (states / rules fired):
--   N, M      states / rules
--   3, 4       2,048 / 4,608
--   4, 4     20,480 / 57,344
--   5, 4   196,608 / 655,360
-- Proof: thread-modular no; split no; split with "P[i] is inside" for each i,
--   yes.
-- Verdict: holds.

const
  N : 3;
  M : 4;

type
  PID   : 1..N;
  COUNT : 0..M - 1;
  PLACE : enum { Rest, Request, Critical, Release };

var
  free  : boolean;                 -- the semaphore
  place : array [PID] of PLACE;
  count : array [PID] of COUNT;    -- how often it was inside, modulo M

startstate "free"
  free := true;
  for i : PID do
    place[i] := Rest;
    count[i] := 0;
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
    count[i] := (count[i] + 1) % M;
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
