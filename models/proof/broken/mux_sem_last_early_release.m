-- MUX-SEM-LAST with a semaphore released too early.
--
-- As ../mux_sem_last.m, but the semaphore is free again when a process begins to
-- leave, not when it has left.
--
-- Parameters: N processes.
-- Properties: mutual exclusion.
-- Proof: none; every method has to leave it open or find the violation.
-- Verdict: violated.

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
    free := true;                  -- BROKEN: too early
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
