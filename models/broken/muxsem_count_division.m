-- Broken on purpose: a remainder by zero.
--
-- As muxsem_count.m (see there for the protocol, its source and its
-- parameters), but the new counter is taken modulo M * counter[i].
--
-- What goes wrong: division by zero in "request the semaphore", the first time
-- it fires.
-- Verdict: violated (division by zero).

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
    counter[i] := (counter[i] + 1) % (M * counter[i]);  -- BROKEN
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
