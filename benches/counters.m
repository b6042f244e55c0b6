-- Counters that turn: to see what a state costs as a search grows.
--
-- Each of five counters may move on by one, and begins anew behind its last
-- value. Every state has five successors, and each state is found by five, in
-- every instance of the family. What grows is the number of states, and how far
-- apart in the search the five stand by which a state is found.
--
-- Parameters: M values of each counter.
-- Counts: M^5 states, 5 * M^5 rules fired.
-- Verdict: holds.

const
  M : 8;
  COUNTERS : 5;

type
  NUMBER : 0..M - 1;
  WHO    : 1..COUNTERS;

var
  counter : array [WHO] of NUMBER;

startstate "zero"
  for c : WHO do
    counter[c] := 0;
  end;
end;

ruleset c : WHO do
  rule "turn"
    true
  ==>
    counter[c] := (counter[c] + 1) % M;
  end;
end;

invariant "in range"
  forall c : WHO do
    counter[c] < M
  end;
