-- Lamport's bakery algorithm with a bounded ticket printer.
--
-- A process that wants in draws a ticket one higher than all it can see, then
-- waits for every other process in turn: first until that one is not drawing,
-- then until that one has no ticket or a later one. Equal tickets are decided
-- by process number. Reading all tickets is not one step: the process reads
-- them one by one, so two processes can draw the same number.
--
-- Tickets of the real algorithm grow without bound. Here the printer stops at
-- TICKETS: a process that would need a higher one gives up and tries again
-- later. Tickets fall back to 1 whenever everybody has left, so nobody is shut
-- out for ever, and the model is finite.
--
-- Source: L. Lamport, "A new solution of Dijkstra's concurrent programming
--   problem", Communications of the ACM 17(8), 1974. As a benchmark: Meng, He,
--   Wang, Liu, "Thread-Modular Model Checking with Iterative Refinement",
--   Table 4.
-- Parameters: N processes, TICKETS the highest ticket. Process numbers are
--   compared, so they are a range and there is no symmetry.
-- Properties: mutual exclusion; who is critical holds the least ticket; no
--   deadlock.
-- Counts (states / rules fired):
--   N, TICKETS        states / rules
--   2, 4                   497 / 883
--   2, 8               1,081 / 1,907
--   3, 3             12,454 / 31,838
--   3, 4             21,466 / 54,394
--   4, 3         531,187 / 1,789,646
-- Verdict: holds.

const
  N : 3;
  TICKETS : 3;

type
  PID    : 1..N;
  NEXT   : 1..N + 1;         -- N + 1: past the last process
  TICKET : 0..TICKETS;       -- 0: none
  STEP   : enum { Rest, Draw, Queue, Compare, Critical };

var
  step    : array [PID] of STEP;
  drawing : array [PID] of boolean;  -- shared: I am about to get a ticket
  ticket  : array [PID] of TICKET;   -- shared
  highest : array [PID] of TICKET;   -- local, while drawing: highest seen
  other   : array [PID] of NEXT;     -- local: whom I look at next

-- Ticket a of process i comes before ticket b of process j.
function Before(a : TICKET; i : PID; b : TICKET; j : PID) : boolean;
begin
  return a < b | (a = b & i < j);
end;

startstate "empty bakery"
  for i : PID do
    step[i] := Rest;
    drawing[i] := false;
    ticket[i] := 0;
    highest[i] := 0;
    other[i] := 1;
  end;
end;

ruleset i : PID do
  rule "start to draw"
    step[i] = Rest
  ==>
    drawing[i] := true;
    step[i] := Draw;
  end;

  rule "read one ticket"
    step[i] = Draw & other[i] <= N
  ==>
    if ticket[other[i]] > highest[i] then
      highest[i] := ticket[other[i]];
    end;
    other[i] := other[i] + 1;
  end;

  rule "take a ticket"
    step[i] = Draw & other[i] > N & highest[i] < TICKETS
  ==>
    ticket[i] := highest[i] + 1;
    highest[i] := 0;
    other[i] := 1;
    drawing[i] := false;
    step[i] := Queue;
  end;

  rule "sold out"
    step[i] = Draw & other[i] > N & highest[i] = TICKETS
  ==>
    highest[i] := 0;
    other[i] := 1;
    drawing[i] := false;
    step[i] := Rest;
  end;

  rule "it is not drawing"
    step[i] = Queue & other[i] <= N & !drawing[other[i]]
  ==>
    step[i] := Compare;
  end;

  rule "it is not before me"
    step[i] = Compare &
    (ticket[other[i]] = 0 |
     !Before(ticket[other[i]], other[i], ticket[i], i))
  ==>
    other[i] := other[i] + 1;
    step[i] := Queue;
  end;

  rule "enter"
    step[i] = Queue & other[i] > N
  ==>
    other[i] := 1;
    step[i] := Critical;
  end;

  rule "leave"
    step[i] = Critical
  ==>
    ticket[i] := 0;
    step[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    step[i] = Critical & step[j] = Critical -> i = j
  end end;

invariant "who is critical is first"
  forall i : PID do forall j : PID do
    step[i] = Critical & i != j & ticket[j] != 0 ->
    Before(ticket[i], i, ticket[j], j)
  end end;
