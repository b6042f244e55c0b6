-- The bakery with tickets that are not new.
--
-- As ../bakery.m, but a process draws the highest ticket that is out, not the next
-- one. A process of lower number then overtakes one that is inside.
--
-- Parameters: N processes; TICKETS, the highest ticket.
-- Properties: mutual exclusion; who is inside holds the least ticket.
-- Proof: none; every method has to leave it open or find the violation.
-- Verdict: violated.

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
    -- BROKEN: was < t, and = t - 1
    (forall j : PID do ticket[j] <= t end) &
    (t = 1 | exists j : PID do ticket[j] = t end)
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
