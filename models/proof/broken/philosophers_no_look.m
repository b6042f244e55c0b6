-- Dining philosophers of whom one does not look.
--
-- As ../philosophers.m, but philosopher 0 takes its second fork whether it lies
-- there or not.
--
-- Parameters: N philosophers, at least 2.
-- Properties: neighbours never eat together.
-- Proof: none; every method has to leave it open or find the violation.
-- Verdict: violated.

const
  N : 3;

type
  SEAT  : 0..N - 1;
  PLACE : enum { Thinking, HasFirst, Eating, HasSecond };

var
  taken : array [SEAT] of boolean;   -- fork s lies between seats s - 1 and s
  place : array [SEAT] of PLACE;

startstate "all think"
  for s : SEAT do
    taken[s] := false;
    place[s] := Thinking;
  end;
end;

ruleset s : SEAT do
  alias first : taken[s = N - 1 ? 0 : s];
        second : taken[s = N - 1 ? s : (s + 1) % N] do

  rule "take the first fork"
    place[s] = Thinking & !first
  ==>
    first := true;
    place[s] := HasFirst;
  end;

  rule "take the second fork"
    place[s] = HasFirst & (!second | s = 0)   -- BROKEN: was without s = 0
  ==>
    second := true;
    place[s] := Eating;
  end;

  rule "lay down the first fork"
    place[s] = Eating
  ==>
    first := false;
    place[s] := HasSecond;
  end;

  rule "lay down the second fork"
    place[s] = HasSecond
  ==>
    second := false;
    place[s] := Thinking;
  end;
  end;
end;

invariant "neighbours do not eat together"
  forall s : SEAT do
    !(place[s] = Eating & place[(s + 1) % N] = Eating)
  end;
