-- Dining philosophers who cannot deadlock.
--
-- N philosophers sit around a table with one fork between neighbours. To eat,
-- a philosopher takes both forks next to it, one after the other, and lays
-- them down again afterwards, one after the other. All reach first for the
-- fork on their left; only the last one reaches first for the fork on its
-- right. This breaks the circle in which everybody holds one fork and waits
-- for the next. philosophers_deadlock.m is the same table without the
-- exception.
--
-- Source: E. W. Dijkstra, "Hierarchical ordering of sequential processes",
--   Acta Informatica 1(2), 1971; as a benchmark of thread-modular model
--   checking: Meng, He, Wang, Liu, "Thread-Modular Model Checking with
--   Iterative Refinement", Table 5.
-- Parameters: N, at least 2. A ring is not fully symmetric, so seats are a
--   range, and there is no symmetry reduction.
-- Properties: neighbours never eat together; who eats holds both forks; no
--   deadlock.
-- Counts (states / rules fired):
--   N      states / rules
--   3            76 / 189
--   5       1,364 / 5,655
--   6      5,778 / 28,746
--   7    24,476 / 142,065
--   8   103,682 / 687,768
-- Verdict: holds.

const
  N : 6;

type
  SEAT  : 0..N - 1;
  STATE : enum { Thinking, Hungry, HasFirst, Eating, HasSecond };

var
  state : array [SEAT] of STATE;
  taken : array [SEAT] of boolean;   -- fork s lies between seats s-1 and s

-- The fork that seat s reaches for first: the left one, but at the last seat
-- the right one.
function First(s : SEAT) : SEAT;
begin
  if s = N - 1 then
    return 0;
  end;
  return s;
end;

-- The other fork of seat s.
function Second(s : SEAT) : SEAT;
begin
  if s = N - 1 then
    return s;
  end;
  return s + 1;
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
