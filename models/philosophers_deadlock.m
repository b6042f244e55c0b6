-- Dining philosophers who deadlock.
--
-- As philosophers.m, but every philosopher, without exception, reaches first
-- for the fork on the left. When all have done so, nobody can go on.
--
-- Source: E. W. Dijkstra, "Hierarchical ordering of sequential processes",
--   Acta Informatica 1(2), 1971.
-- Parameters: N, at least 2 (a range: a ring is not fully symmetric).
-- Properties: neighbours never eat together; who eats holds both forks; both
--   hold. There is a deadlock: all have the first fork; the shortest way there
--   takes 2 * N steps.
-- Verdict: violated (deadlock). With deadlock detection off: holds.

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
  return (s + 1) % N;
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
