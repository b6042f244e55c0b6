-- MUX-SEM-LAST: mutual exclusion by a semaphore that remembers who took it
-- last, for proof by components.
--
-- As mux_sem.m, but who takes the semaphore also writes its number to the
-- shared `last`. That alone makes the view of one process enough: inside, a
-- process knows that the semaphore is taken and that it came last, and only
-- who came last can release it. Without holding the others to what is known
-- of them, as thread-modular checking does, this is lost again.
--
-- Source: Meng, He, Wang, Liu, "Thread-Modular Model Checking with Iterative
--   Refinement", Fig. 4(a) and Table 2.
-- Parameters: N processes.
-- Properties: mutual exclusion.
-- Counts (states / rules fired):
--   N       states / rules
--   4            144 / 480
--   8       4,352 / 27,648
--   12   102,400 / 958,464
-- Proof: thread-modular no; split yes, without auxiliaries.
-- Verdict: holds.

const
  N : 4;

type
  PID   : 1..N;
  PLACE : enum { Rest, Request, Critical, Release };

var
  free  : boolean;                 -- the semaphore
  last  : 0..N;                    -- who took it last; 0: nobody yet
  place : array [PID] of PLACE;

startstate "free"
  free := true;
  last := 0;
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
    last := i;
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
