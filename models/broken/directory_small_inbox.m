-- Broken on purpose: the inboxes are too small.
--
-- As directory.m (see there for the protocol, its source and its parameters),
-- but NET_MAX is 1.
--
-- What goes wrong: a second message for the same node finds its inbox full: a
-- runtime error.
-- Verdict: violated (multiset full).

const
  PROC_NUM  : 2;
  VALUE_NUM : 2;
  NET_MAX   : 1;                       -- BROKEN

type
  PROC  : scalarset(PROC_NUM);
  VALUE : scalarset(VALUE_NUM);
  HOME  : enum { Home };
  NODE  : union { HOME, PROC };

  KIND : enum {
    GetS, GetM, PutM,            -- requests, to the home
    InvAck, Back,                -- answers, to the home
    Data, DataM,                 -- grants, to a processor
    Inv, Recall,                 -- orders, to a processor
    PutAck, PutAckR              -- ends of a PutM, to a processor
  };

  MESSAGE : record
    kind  : KIND;
    src   : NODE;
    value : VALUE;               -- of Data, DataM, Back and PutM
  end;

  PROC_STATE : enum {
    I, S, M,
    IS_D,                        -- GetS sent
    IS_I,                        -- GetS sent, and the copy already invalidated
    IM_D,                        -- GetM sent
    MI_A,                        -- PutM sent
    MI_X,                        -- PutM sent and crossed by a Recall
    MI_R                         -- PutM done, but a Recall is under way
  };

  -- Idle, Shared, Owned: at rest. Collect: invalidating sharers. Fetch:
  -- recalling the line from its owner.
  HOME_STATE : enum { Idle, Shared, Owned, Collect, Fetch };

var
  proc  : array [PROC] of record
            state : PROC_STATE;
            value : VALUE;       -- defined in S and M
          end;
  home  : record
            state  : HOME_STATE;
            value  : VALUE;      -- undefined while somebody owns the line
            owner  : PROC;       -- defined in Owned and Fetch
            sharer : array [PROC] of boolean;
            want   : KIND;       -- the request in service, in Collect and Fetch
            client : PROC;       -- and whose it is
          end;
  net   : array [NODE] of multiset [NET_MAX] of MESSAGE;
  last  : VALUE;                 -- history: the value stored last

procedure Send(k : KIND; src : NODE; dst : NODE);
var m : MESSAGE;
begin
  undefine m;
  m.kind := k;
  m.src := src;
  multisetadd(m, net[dst]);
end;

procedure SendValue(k : KIND; src : NODE; dst : NODE; v : VALUE);
var m : MESSAGE;
begin
  undefine m;
  m.kind := k;
  m.src := src;
  m.value := v;
  multisetadd(m, net[dst]);
end;

function AnySharer() : boolean;
begin
  return exists p : PROC do home.sharer[p] end;
end;

-- The home gives processor p what it asked for; the home's value is fresh.
procedure Grant(p : PROC; request : KIND);
begin
  if request = GetS then
    SendValue(Data, Home, p, home.value);
    home.sharer[p] := true;
    home.state := Shared;
  else
    SendValue(DataM, Home, p, home.value);
    undefine home.value;
    home.owner := p;
    home.state := Owned;
  end;
end;

-- Grant the request in service. The copies are taken because CMurphi passes
-- values by reference, and `home` changes under them.
procedure GrantWaiting();
var p : PROC;
    request : KIND;
begin
  p := home.client;
  request := home.want;
  undefine home.client;
  undefine home.want;
  Grant(p, request);
end;

-- The line has come back from its owner.
procedure TakeBack(v : VALUE);
begin
  home.value := v;
  undefine home.owner;
  home.state := Idle;
end;

-- A request of p arrives while the home is at rest.
procedure Serve(p : PROC; request : KIND);
begin
  if home.state = Owned then
    Send(Recall, Home, home.owner);
    home.state := Fetch;
    home.want := request;
    home.client := p;
  elsif home.state = Shared & request = GetM then
    home.sharer[p] := false;     -- p has dropped its copy to ask
    for q : PROC do
      if home.sharer[q] then
        Send(Inv, Home, q);
      end;
    end;
    if AnySharer() then
      home.state := Collect;
      home.want := request;
      home.client := p;
    else
      Grant(p, request);
    end;
  else
    Grant(p, request);
  end;
end;

procedure DropCopy(p : PROC; s : PROC_STATE);
begin
  proc[p].state := s;
  undefine proc[p].value;
end;

ruleset v : VALUE do
  startstate "nobody has a copy"
    undefine proc;
    undefine home;
    undefine net;
    for p : PROC do
      proc[p].state := I;
      home.sharer[p] := false;
    end;
    home.state := Idle;
    home.value := v;
    last := v;
  end;
end;

-- Processors.

ruleset p : PROC; v : VALUE do
  rule "store"
    proc[p].state = M
  ==>
    proc[p].value := v;
    last := v;
  end;
end;

ruleset p : PROC do
  rule "ask for a shared copy"
    proc[p].state = I
  ==>
    Send(GetS, p, Home);
    proc[p].state := IS_D;
  end;

  rule "ask for a writable copy"
    proc[p].state = I | proc[p].state = S
  ==>
    Send(GetM, p, Home);
    DropCopy(p, IM_D);
  end;

  rule "drop a shared copy"
    proc[p].state = S
  ==>
    DropCopy(p, I);
  end;

  rule "write back"
    proc[p].state = M
  ==>
    SendValue(PutM, p, Home, proc[p].value);
    DropCopy(p, MI_A);
  end;
end;

ruleset p : PROC do
  choose m : net[p] do
    alias msg : net[p][m] do
      rule "processor receives"
        msg.kind = Recall ->
          proc[p].state = M | proc[p].state = MI_A | proc[p].state = MI_R
      ==>
        switch msg.kind
        case Data:
          if proc[p].state = IS_D then
            proc[p].state := S;
            proc[p].value := msg.value;
          elsif proc[p].state = IS_I then
            proc[p].state := I;
          else
            error "Data not expected";
          end;
        case DataM:
          assert proc[p].state = IM_D "DataM expected";
          proc[p].state := M;
          proc[p].value := msg.value;
        case Inv:
          assert proc[p].state != M & proc[p].state != MI_A "Inv expected";
          Send(InvAck, p, Home);
          if proc[p].state = S then
            DropCopy(p, I);
          elsif proc[p].state = IS_D then
            proc[p].state := IS_I;
          end;
        case Recall:
          if proc[p].state = M then
            SendValue(Back, p, Home, proc[p].value);
            DropCopy(p, I);
          elsif proc[p].state = MI_A then
            proc[p].state := MI_X;
          else
            proc[p].state := I;
          end;
        case PutAck:
          assert proc[p].state = MI_A "PutAck expected";
          proc[p].state := I;
        case PutAckR:
          if proc[p].state = MI_A then
            proc[p].state := MI_R;
          elsif proc[p].state = MI_X then
            proc[p].state := I;
          else
            error "PutAckR not expected";
          end;
        else
          error "not a message for a processor";
        end;
        multisetremove(m, net[p]);
      end;
    end;
  end;
end;

-- The home. Requests wait while it is busy; answers are taken at once.

ruleset p : PROC do
  choose m : net[Home] do
    alias msg : net[Home][m] do
      rule "home receives a request"
        msg.src = p & (msg.kind = GetS | msg.kind = GetM) &
        home.state != Collect & home.state != Fetch
      ==>
        Serve(p, msg.kind);
        multisetremove(m, net[Home]);
      end;

      rule "home receives a written-back line"
        msg.src = p & msg.kind = PutM
      ==>
        assert home.state = Owned | home.state = Fetch "PutM expected";
        assert home.owner = p "PutM comes from the owner";
        if home.state = Owned then
          TakeBack(msg.value);
          Send(PutAck, Home, p);
        else
          TakeBack(msg.value);
          Send(PutAckR, Home, p);
          GrantWaiting();
        end;
        multisetremove(m, net[Home]);
      end;

      rule "home receives a recalled line"
        msg.src = p & msg.kind = Back
      ==>
        assert home.state = Fetch & home.owner = p "Back expected";
        TakeBack(msg.value);
        GrantWaiting();
        multisetremove(m, net[Home]);
      end;

      rule "home receives an acknowledgement"
        msg.src = p & msg.kind = InvAck
      ==>
        assert home.state = Collect "InvAck expected";
        home.sharer[p] := false;
        if !AnySharer() then
          GrantWaiting();
        end;
        multisetremove(m, net[Home]);
      end;
    end;
  end;
end;

invariant "one writer or many readers"
  forall p : PROC do forall q : PROC do
    proc[p].state = M & p != q -> proc[q].state != M & proc[q].state != S
  end end;

invariant "copies are up to date"
  forall p : PROC do
    proc[p].state = M | proc[p].state = S -> proc[p].value = last
  end;

invariant "the home is up to date"
  home.state != Owned & home.state != Fetch -> home.value = last;

invariant "owners are no sharers"
  home.state = Owned | home.state = Fetch -> !AnySharer();
