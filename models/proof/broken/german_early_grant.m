-- German's protocol with a home that grants too early.
--
-- As ../german.m, but the home grants the exclusive copy as soon as nobody is still
-- to be told to give up a copy, without waiting for the acknowledgements.
--
-- Parameters: N clients.
-- Properties: an exclusive copy is the only one.
-- Proof: none; every method has to leave it open or find the violation.
-- Verdict: violated.

const
  N : 2;

type
  NODE  : 1..N;
  CACHE : enum { I, S, E };
  ASK   : enum { NoAsk, ReqS, ReqE };
  TELL  : enum { NoTell, Inv, GntS, GntE };

var
  ask   : array [NODE] of ASK;        -- client to home
  tell  : array [NODE] of TELL;       -- home to client
  ack   : array [NODE] of boolean;    -- client to home: an invalidation is done

  cache : array [NODE] of CACHE;

  -- The home's directory.
  holds : array [NODE] of boolean;    -- who may have a copy
  todo  : array [NODE] of boolean;    -- who is still to be sent an Inv
  owned : boolean;                    -- the copy is exclusive
  cmd   : ASK;                        -- the request in service
  who   : NODE;                       -- who asked; defined while in service

startstate "no copies"
  for i : NODE do
    ask[i] := NoAsk;
    tell[i] := NoTell;
    ack[i] := false;
    cache[i] := I;
    holds[i] := false;
    todo[i] := false;
  end;
  owned := false;
  cmd := NoAsk;
  undefine who;
end;

process "Client" i : NODE do
  rule "ask for a shared copy"
    ask[i] = NoAsk & cache[i] = I
  ==>
    ask[i] := ReqS;
  end;

  rule "ask for the exclusive copy"
    ask[i] = NoAsk & cache[i] != E
  ==>
    ask[i] := ReqE;
  end;

  rule "give up the copy"
    tell[i] = Inv & !ack[i]
  ==>
    tell[i] := NoTell;
    ack[i] := true;
    cache[i] := I;
  end;

  rule "get a shared copy"
    tell[i] = GntS
  ==>
    tell[i] := NoTell;
    cache[i] := S;
  end;

  rule "get the exclusive copy"
    tell[i] = GntE
  ==>
    tell[i] := NoTell;
    cache[i] := E;
  end;
end;

-- The home.

ruleset i : NODE do
  rule "take a request"
    cmd = NoAsk & ask[i] != NoAsk
  ==>
    cmd := ask[i];
    who := i;
    ask[i] := NoAsk;
    for j : NODE do
      todo[j] := holds[j];
    end;
  end;

  rule "invalidate"
    tell[i] = NoTell & todo[i] & (cmd = ReqE | (cmd = ReqS & owned))
  ==>
    tell[i] := Inv;
    todo[i] := false;
  end;

  rule "take an acknowledgement"
    ack[i] & cmd != NoAsk
  ==>
    ack[i] := false;
    holds[i] := false;
    owned := false;
  end;

  rule "grant a shared copy"
    cmd = ReqS & !owned & who = i & tell[i] = NoTell
  ==>
    tell[i] := GntS;
    holds[i] := true;
    cmd := NoAsk;
    undefine who;
  end;

  rule "grant the exclusive copy"
    cmd = ReqE & !owned & who = i & tell[i] = NoTell &
    forall j : NODE do !todo[j] end   -- BROKEN: was !holds[j]
  ==>
    tell[i] := GntE;
    holds[i] := true;
    owned := true;
    cmd := NoAsk;
    undefine who;
  end;
end;

invariant "an exclusive copy is the only one"
  forall i : NODE do forall j : NODE do
    i != j & cache[i] = E -> cache[j] = I
  end end;
