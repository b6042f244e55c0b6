-- Broken on purpose: the last seat reaches off the table.
--
-- As philosophers_deadlock.m (see there for the protocol, its source and its
-- parameters), but the function Second does not wrap around at the last seat.
--
-- What goes wrong: the fork N does not exist: the value leaves its range when
-- the last philosopher looks for a second fork.
-- Verdict: violated (value or index out of range).

const
  N : 6;

type
  SEAT  : 0..N - 1;
  STATE : enum { Thinking, Hungry, HasFirst, Eating, HasSecond };

var
  state : array [SEAT] of STATE;
  taken : array [SEAT] of boolean;   -- fork s lies between seats s-1 and s

-- The fork that seat s reaches for first: the left one, at every seat.
function First(s : SEAT) : SEAT;
begin
  return s;
end;

-- The other fork of seat s.
function Second(s : SEAT) : SEAT;
begin
  return s + 1;                          -- BROKEN
end;

startstate "all think"
  for s : SEAT do
    state[s] := Thinking;
    taken[s] := false;
  end;
end;

ruleset s : SEAT do
  rule "get hungry"
    state[s] = Thinking
  ==>
    state[s] := Hungry;
  end;

  rule "take the first fork"
    state[s] = Hungry & !taken[First(s)]
  ==>
    taken[First(s)] := true;
    state[s] := HasFirst;
  end;

  rule "take the second fork"
    state[s] = HasFirst & !taken[Second(s)]
  ==>
    taken[Second(s)] := true;
    state[s] := Eating;
  end;

  rule "lay down the first fork"
    state[s] = Eating
  ==>
    taken[First(s)] := false;
    state[s] := HasSecond;
  end;

  rule "lay down the second fork"
    state[s] = HasSecond
  ==>
    taken[Second(s)] := false;
    state[s] := Thinking;
  end;
end;

invariant "neighbours do not eat together"
  forall s : SEAT do
    !(state[s] = Eating & state[(s + 1) % N] = Eating)
  end;

invariant "who eats holds both forks"
  forall s : SEAT do
    state[s] = Eating -> taken[First(s)] & taken[Second(s)]
  end;
