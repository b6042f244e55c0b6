-- Lamport's bakery with tickets drawn in one step, for proof by components.
--
-- A process that wants in draws a ticket one higher than all others' tickets,
-- waits until nobody with a ticket is before it, and gives the ticket back
-- when it leaves. Tickets are shared; only the place is local. Looking at all
-- tickets is one step here, both in drawing and in waiting, as in the
-- benchmark's usual form; ../bakery.m looks at them one by one.
--
-- Whoever is inside holds the least ticket, and nothing that the others can do
-- to their own tickets changes that. So each process can be checked against
-- others that do whatever their rules allow in any local state: this is the one
-- benchmark that thread-modular checking proves without help.
--
-- Tickets of the real algorithm grow without bound. Here a process that would
-- need a ticket above TICKETS waits; tickets begin at 1 again when all have
-- left.
--
-- Source: L. Lamport, "A new solution of Dijkstra's concurrent programming
--   problem", Communications of the ACM 17(8), 1974. As a benchmark: Meng, He,
--   Wang, Liu, "Thread-Modular Model Checking with Iterative Refinement",
--   Table 4.
-- Parameters: N processes; TICKETS, the highest ticket.
-- Properties: mutual exclusion; who is inside holds the least ticket.
-- Counts (states / rules fired):
--   N, TICKETS   states / rules
--   3, 4               85 / 147
--   4, 4              249 / 468
--   6, 6         7,813 / 15,558
-- Proof: thread-modular yes; split yes, without auxiliaries.
-- Verdict: holds.

const
  N : 3;
  TICKETS : 4;

type
  PID    : 1..N;
  TICKET : 0..TICKETS;             -- 0: none
  PLACE  : enum { Rest, Wait, Critical };

var
  ticket : array [PID] of TICKET;
  place  : array [PID] of PLACE;

-- Nobody with a ticket is before process i.
function IsFirst(i : PID) : boolean;
begin
  return forall j : PID do
    j = i | ticket[j] = 0 | ticket[i] < ticket[j] |
    (ticket[i] = ticket[j] & i < j)
  end;
end;

startstate "empty bakery"
  for i : PID do
    ticket[i] := 0;
    place[i] := Rest;
  end;
end;

ruleset i : PID; t : 1..TICKETS do
  rule "draw a ticket"
    place[i] = Rest &
    (forall j : PID do ticket[j] < t end) &
    (t = 1 | exists j : PID do ticket[j] = t - 1 end)
  ==>
    ticket[i] := t;
    place[i] := Wait;
  end;
end;

ruleset i : PID do
  rule "enter"
    place[i] = Wait & IsFirst(i)
  ==>
    place[i] := Critical;
  end;

  rule "leave"
    place[i] = Critical
  ==>
    ticket[i] := 0;
    place[i] := Rest;
  end;
end;

invariant "mutual exclusion"
  forall i : PID do forall j : PID do
    i != j & place[i] = Critical -> place[j] != Critical
  end end;

invariant "who is inside holds the least ticket"
  forall i : PID do
    place[i] = Critical -> ticket[i] != 0 & IsFirst(i)
  end;
