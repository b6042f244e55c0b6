-- Dining philosophers, for proof by components.
--
-- N philosophers sit around a table with one fork between neighbours. Each
-- takes the fork on its left, then the one on its right, eats, and lays them
-- down one after the other; the last one begins on the right. Forks are shared
-- bits: whether a fork is taken, not by whom. What a philosopher holds is
-- local, so its neighbours cannot know who may lay a fork down.
--
-- Source: E. W. Dijkstra, "Hierarchical ordering of sequential processes",
--   Acta Informatica 1(2), 1971. As a benchmark: Meng, He, Wang, Liu,
--   "Thread-Modular Model Checking with Iterative Refinement", Table 5.
-- Parameters: N philosophers, at least 2.
-- Properties: neighbours never eat together.
-- Counts (states / rules fired):
--   N      states / rules
--   3             27 / 54
--   6         729 / 2,916
--   8      6,561 / 34,992
--   10   59,049 / 393,660
-- Proof: thread-modular no; split no; split with "it holds the first fork" and
--   "it holds the second fork" for each, yes.
-- Verdict: holds.

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
    place[s] = HasFirst & !second
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
