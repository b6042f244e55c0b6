-- MUX-SEM with a process that does not look at the semaphore.
--
-- As ../mux_sem.m, but a process takes the semaphore whether it is free or not.
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
    place[i] = Request             -- BROKEN: was  & free
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
