-- Response of MUX-SEM under strong fairness.
--
-- The algorithm, its source and its parameters: ../muxsem.m, which has the
-- same states. A process may rest for ever, so "want" is not fair; taking the
-- semaphore is strongly fair for each process, the rest weakly.
-- Source of the property: A. Cohen, K. S. Namjoshi, "Local proofs for linear-
-- time properties of concurrent programs", CAV 2008, section 5.
-- Expected: holds.

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

  strong fair rule "request the semaphore"
    step[i] = Request & x
  ==>
    x := false;
    step[i] := Critical;
  end;

  fair rule "finish"
    step[i] = Critical
  ==>
    step[i] := Release;
  end;

  fair rule "release the semaphore"
    step[i] = Release
  ==>
    x := true;
    step[i] := Rest;
  end;
end;

ruleset i : PID do
  liveness "who requests gets in"
    step[i] = Request
    LEADSTO
    step[i] = Critical;
end;
