-- Broken on purpose: nobody waits for those who are drawing.
--
-- As bakery.m (see there for the protocol, its source and its parameters), but
-- the guard of "it is not drawing" does not look at `drawing`.
--
-- What goes wrong: invariant "who is critical is first" or "mutual exclusion":
-- a process that has read all tickets, but not written its own, is overlooked.
-- Verdict: violated (invariant).

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
    step[i] = Queue & other[i] <= N       -- BROKEN
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
