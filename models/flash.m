-- The cache coherence protocol of the Stanford FLASH multiprocessor.
--
-- One memory line, its home node, and remote nodes. The home keeps a directory:
-- is a request in progress (Pending), has the home's own processor a copy
-- (Local), is the line dirty somewhere (Dirty), the first remote sharer or the
-- owner (HeadVld, HeadPtr) and further sharers (ShrVld, ShrSet). A request for
-- a line that is dirty elsewhere is forwarded to the owner, who answers the
-- requester directly ("three hops"). The home refuses (Nak) what it cannot
-- serve at once. Exclusive data is granted before all invalidations are
-- acknowledged; the home then stays Pending and collects.
--
-- Messages: Uni[n] is the one request of node n that is under way, or the
-- answer to it; Invs[n] an invalidation for n or its acknowledgement; Repl[n] a
-- hint that n dropped a shared copy; Wb a written-back line; Shwb what an owner
-- tells the home after a forwarded request was served; Nakc what it tells the
-- home after it refused one.
--
-- Source: J. Kuskin et al., "The Stanford FLASH multiprocessor", ISCA 1994;
--   S. Park, D. L. Dill, "Verification of FLASH cache coherence protocol by
--   aggregation of distributed transactions", SPAA 1996; C.-T. Chou,
--   P. K. Mannava, S. Park, "A simple method for parameterized verification of
--   cache coherence protocols", FMCAD 2004; B. Bingham's PhD thesis (University
--   of British Columbia, 2015), chapter 5. The protocol's handlers keep their
--   names of the literature (PI: from the processor, NI: from the network).
-- Parameters: NODE_NUM nodes, the home among them, and DATA_NUM data values.
--   Both are scalarsets: any node may be the home; the start state picks it.
-- Properties: one owner at most; owners and, outside of a collection, sharers
--   hold the last value stored; during a collection sharers hold the one before
--   it; clean memory is up to date; no deadlock.
-- Counts (states / rules fired):
--   NODE_NUM, DATA_NUM         no symmetry     exact symmetry
--   2, 2                     1,556 / 5,148        389 / 1,287
--   3, 1                  33,201 / 146,145     5,587 / 24,613
--   3, 2                 109,650 / 511,302     9,222 / 43,062
--   4, 1                                     68,280 / 409,457
--   The published flash5 and flash6 (24,063,542 and 609,827,554 states with
--   symmetry) are of a model that differs in detail; they are not reproduced.
--   DATA_NUM must be 2 or more for the properties about data to bite.
-- Verdict: holds.

const
  NODE_NUM : 3;
  DATA_NUM : 1;

type
  NODE : scalarset(NODE_NUM);
  DATA : scalarset(DATA_NUM);

  CACHE_STATE : enum { CACHE_I, CACHE_S, CACHE_E };
  WISH : enum { WISH_None, WISH_Get, WISH_GetX };
  PROC : record
    Wish      : WISH;            -- the miss that is being served
    InvMarked : boolean;         -- an Inv overtook the answer to a Get
    State     : CACHE_STATE;
    Data      : DATA;            -- defined exactly when State is not CACHE_I
  end;

  DIRECTORY : record
    Pending : boolean;
    Local   : boolean;
    Dirty   : boolean;
    HeadVld : boolean;
    HeadPtr : NODE;              -- defined exactly when HeadVld
    ShrVld  : boolean;
    ShrSet  : array [NODE] of boolean;
    InvSet  : array [NODE] of boolean;   -- acknowledgements still to come
  end;

  UNI_CMD : enum { UNI_None, UNI_Get, UNI_GetX, UNI_Put, UNI_PutX, UNI_Nak };
  UNI : record
    Cmd  : UNI_CMD;
    Proc : NODE;                 -- of a request: who is to serve it
    Data : DATA;                 -- of UNI_Put and UNI_PutX
  end;

  INV_CMD : enum { INV_None, INV_Inv, INV_Ack };

  WB : record
    Valid : boolean;
    Data  : DATA;
  end;

  SHWB_CMD : enum { SHWB_None, SHWB_ShWb, SHWB_FAck };
  SHWB : record
    Cmd  : SHWB_CMD;
    Proc : NODE;                 -- whose request the owner served
    Data : DATA;                 -- of SHWB_ShWb
  end;

var
  Home : NODE;
  Proc : array [NODE] of PROC;
  Dir  : DIRECTORY;
  Mem  : DATA;

  Uni  : array [NODE] of UNI;
  Invs : array [NODE] of INV_CMD;
  Repl : array [NODE] of boolean;
  Wb   : WB;
  Shwb : SHWB;
  Nakc : boolean;

  -- History: the last value stored; whether the home is collecting
  -- acknowledgements for an exclusive grant; and then the value before it.
  CurrData   : DATA;
  Collecting : boolean;
  PrevData   : DATA;

-- Small steps that several handlers share.

procedure DropCopy(n : NODE);
begin
  Proc[n].State := CACHE_I;
  undefine Proc[n].Data;
end;

procedure TakeCopy(n : NODE; s : CACHE_STATE; d : DATA);
begin
  Proc[n].State := s;
  Proc[n].Data := d;
end;

-- The miss of node n is over: nothing is asked for and nothing is marked.
procedure EndMiss(n : NODE);
begin
  Proc[n].Wish := WISH_None;
  Proc[n].InvMarked := false;
  Uni[n].Cmd := UNI_None;
  undefine Uni[n].Proc;
  undefine Uni[n].Data;
end;

-- Node n gets a shared copy, unless an invalidation for it came first: then
-- the data is used once and not kept.
procedure TakeShared(n : NODE; d : DATA);
begin
  if Proc[n].InvMarked then
    DropCopy(n);
  else
    TakeCopy(n, CACHE_S, d);
  end;
end;

procedure Ask(n : NODE; c : UNI_CMD; server : NODE);
begin
  Uni[n].Cmd := c;
  Uni[n].Proc := server;
end;

procedure Answer(n : NODE; c : UNI_CMD; d : DATA);
begin
  Uni[n].Cmd := c;
  undefine Uni[n].Proc;
  Uni[n].Data := d;
end;

procedure Refuse(n : NODE);
begin
  Uni[n].Cmd := UNI_Nak;
  undefine Uni[n].Proc;
end;

-- The directory forgets all sharers and the head.
procedure ForgetSharers();
begin
  Dir.HeadVld := false;
  undefine Dir.HeadPtr;
  Dir.ShrVld := false;
  for p : NODE do
    Dir.ShrSet[p] := false;
  end;
end;

-- The directory thinks that node p, not the home, has a copy.
function Listed(p : NODE) : boolean;
begin
  return p != Home &
    ((Dir.ShrVld & Dir.ShrSet[p]) | (Dir.HeadVld & Dir.HeadPtr = p));
end;

-- Invalidate every listed node but n, and begin to collect acknowledgements.
procedure InvalidateAllBut(n : NODE);
begin
  for p : NODE do
    if p != n & Listed(p) then
      Dir.InvSet[p] := true;
      Invs[p] := INV_Inv;
    end;
  end;
  Dir.Pending := true;
  Collecting := true;
  PrevData := CurrData;
end;

-- Request c of remote node n waits at the home. A node that has told the home
-- of a dropped copy must be heard first.
function AtHome(n : NODE; c : UNI_CMD) : boolean;
begin
  return n != Home & Uni[n].Cmd = c & Uni[n].Proc = Home & !Repl[n];
end;

-- Request c of node n was forwarded to node o.
function AtOwner(n : NODE; c : UNI_CMD; o : NODE) : boolean;
begin
  return n != o & o != Home & Uni[n].Cmd = c & Uni[n].Proc = o;
end;

-- What the home does with a remote request: it refuses when it is busy or when
-- the line is on its way back from the requester; it forwards when another
-- node owns the line; otherwise it serves.
function MustRefuse(n : NODE) : boolean;
begin
  return Dir.Pending |
    (Dir.Dirty & Dir.Local & Proc[Home].State != CACHE_E) |
    (Dir.Dirty & !Dir.Local & Dir.HeadPtr = n);
end;

function MustForward(n : NODE) : boolean;
begin
  return !Dir.Pending & Dir.Dirty & !Dir.Local & Dir.HeadPtr != n;
end;

function MayServe() : boolean;
begin
  return !Dir.Pending &
    (Dir.Dirty -> Dir.Local & Proc[Home].State = CACHE_E);
end;

-- The home's own processor may start a miss.
function HomeMiss() : boolean;
begin
  return Proc[Home].Wish = WISH_None & Proc[Home].State = CACHE_I &
    !Dir.Pending;
end;

ruleset h : NODE; d : DATA do
  startstate "Init"
    Home := h;
    Mem := d;
    CurrData := d;
    Collecting := false;
    Dir.Pending := false;
    Dir.Local := false;
    Dir.Dirty := false;
    Dir.HeadVld := false;
    Dir.ShrVld := false;
    Wb.Valid := false;
    Shwb.Cmd := SHWB_None;
    Nakc := false;
    for p : NODE do
      Proc[p].Wish := WISH_None;
      Proc[p].InvMarked := false;
      Proc[p].State := CACHE_I;
      Dir.ShrSet[p] := false;
      Dir.InvSet[p] := false;
      Uni[p].Cmd := UNI_None;
      Invs[p] := INV_None;
      Repl[p] := false;
    end;
  end;
end;

-- Processors.

ruleset n : NODE; d : DATA do
  rule "Store"
    Proc[n].State = CACHE_E
  ==>
    Proc[n].Data := d;
    CurrData := d;
  end;
end;

ruleset n : NODE do
  rule "PI_Remote_Get"
    n != Home & Proc[n].Wish = WISH_None & Proc[n].State = CACHE_I
  ==>
    Proc[n].Wish := WISH_Get;
    Ask(n, UNI_Get, Home);
  end;

  rule "PI_Remote_GetX"
    n != Home & Proc[n].Wish = WISH_None & Proc[n].State = CACHE_I
  ==>
    Proc[n].Wish := WISH_GetX;
    Ask(n, UNI_GetX, Home);
  end;

  rule "PI_Remote_PutX"
    n != Home & Proc[n].Wish = WISH_None & Proc[n].State = CACHE_E
  ==>
    Wb.Valid := true;
    Wb.Data := Proc[n].Data;
    DropCopy(n);
  end;

  rule "PI_Remote_Replace"
    n != Home & Proc[n].Wish = WISH_None & Proc[n].State = CACHE_S
  ==>
    DropCopy(n);
    Repl[n] := true;
  end;
end;

rule "PI_Local_Get_Get"
  HomeMiss() & Dir.Dirty
==>
  Proc[Home].Wish := WISH_Get;
  Dir.Pending := true;
  Ask(Home, UNI_Get, Dir.HeadPtr);
end;

rule "PI_Local_Get_Put"
  HomeMiss() & !Dir.Dirty
==>
  Dir.Local := true;
  TakeShared(Home, Mem);
  Proc[Home].InvMarked := false;
end;

rule "PI_Local_GetX_GetX"
  HomeMiss() & Dir.Dirty
==>
  Proc[Home].Wish := WISH_GetX;
  Dir.Pending := true;
  Ask(Home, UNI_GetX, Dir.HeadPtr);
end;

-- The home's processor may upgrade a shared copy in place.
rule "PI_Local_GetX_PutX"
  Proc[Home].Wish = WISH_None & Proc[Home].State != CACHE_E &
  !Dir.Pending & !Dir.Dirty
==>
  if Dir.HeadVld then
    InvalidateAllBut(Home);
    ForgetSharers();
  end;
  Dir.Local := true;
  Dir.Dirty := true;
  Proc[Home].InvMarked := false;
  TakeCopy(Home, CACHE_E, Mem);
end;

rule "PI_Local_PutX"
  Proc[Home].Wish = WISH_None & Proc[Home].State = CACHE_E
==>
  if !Dir.Pending then
    Dir.Local := false;
  end;
  Dir.Dirty := false;
  Mem := Proc[Home].Data;
  DropCopy(Home);
end;

rule "PI_Local_Replace"
  Proc[Home].Wish = WISH_None & Proc[Home].State = CACHE_S
==>
  Dir.Local := false;
  DropCopy(Home);
end;

-- Refusals.

ruleset n : NODE do
  rule "NI_Nak"
    Uni[n].Cmd = UNI_Nak
  ==>
    EndMiss(n);
  end;
end;

rule "NI_Nak_Clear"
  Nakc
==>
  Nakc := false;
  Dir.Pending := false;
end;

-- A remote Get at the home.

ruleset n : NODE do
  rule "NI_Local_Get_Nak"
    AtHome(n, UNI_Get) & MustRefuse(n)
  ==>
    Refuse(n);
  end;

  rule "NI_Local_Get_Get"
    AtHome(n, UNI_Get) & MustForward(n)
  ==>
    Dir.Pending := true;
    Ask(n, UNI_Get, Dir.HeadPtr);
  end;

  rule "NI_Local_Get_Put"
    AtHome(n, UNI_Get) & MayServe()
  ==>
    if Dir.Dirty then
      Dir.Dirty := false;
      Mem := Proc[Home].Data;
      Proc[Home].State := CACHE_S;
    end;
    if Dir.HeadVld then
      Dir.ShrVld := true;
      Dir.ShrSet[n] := true;
    else
      Dir.HeadVld := true;
      Dir.HeadPtr := n;
    end;
    Answer(n, UNI_Put, Mem);
  end;
end;

-- A remote GetX at the home.

ruleset n : NODE do
  rule "NI_Local_GetX_Nak"
    AtHome(n, UNI_GetX) & MustRefuse(n)
  ==>
    Refuse(n);
  end;

  rule "NI_Local_GetX_GetX"
    AtHome(n, UNI_GetX) & MustForward(n)
  ==>
    Dir.Pending := true;
    Ask(n, UNI_GetX, Dir.HeadPtr);
  end;

  rule "NI_Local_GetX_PutX"
    AtHome(n, UNI_GetX) & MayServe()
  ==>
    if Dir.Dirty then
      Answer(n, UNI_PutX, Proc[Home].Data);
    else
      Answer(n, UNI_PutX, Mem);
      if exists p : NODE do p != n & Listed(p) end then
        InvalidateAllBut(n);
      end;
      if Dir.Local & Proc[Home].Wish = WISH_Get then
        Proc[Home].InvMarked := true;
      end;
    end;
    DropCopy(Home);
    ForgetSharers();
    Dir.Local := false;
    Dir.Dirty := true;
    Dir.HeadVld := true;
    Dir.HeadPtr := n;
  end;
end;

-- A forwarded request at the owner o. When the requester n is the home, the
-- answer itself tells the directory; otherwise the owner sends it a message.

ruleset n : NODE; o : NODE do
  rule "NI_Remote_Get_Nak"
    AtOwner(n, UNI_Get, o) & Proc[o].State != CACHE_E
  ==>
    Refuse(n);
    Nakc := true;
  end;

  rule "NI_Remote_Get_Put"
    AtOwner(n, UNI_Get, o) & Proc[o].State = CACHE_E
  ==>
    Proc[o].State := CACHE_S;
    Answer(n, UNI_Put, Proc[o].Data);
    if n != Home then
      Shwb.Cmd := SHWB_ShWb;
      Shwb.Proc := n;
      Shwb.Data := Proc[o].Data;
    end;
  end;

  rule "NI_Remote_GetX_Nak"
    AtOwner(n, UNI_GetX, o) & Proc[o].State != CACHE_E
  ==>
    Refuse(n);
    Nakc := true;
  end;

  rule "NI_Remote_GetX_PutX"
    AtOwner(n, UNI_GetX, o) & Proc[o].State = CACHE_E
  ==>
    Answer(n, UNI_PutX, Proc[o].Data);
    DropCopy(o);
    if n != Home then
      Shwb.Cmd := SHWB_FAck;
      Shwb.Proc := n;
    end;
  end;
end;

-- Data arrives.

rule "NI_Local_Put"
  Uni[Home].Cmd = UNI_Put
==>
  Dir.Pending := false;
  Dir.Dirty := false;
  Dir.Local := true;
  Mem := Uni[Home].Data;
  TakeShared(Home, Uni[Home].Data);
  EndMiss(Home);
end;

rule "NI_Local_PutXAcksDone"
  Uni[Home].Cmd = UNI_PutX
==>
  Dir.Pending := false;
  Dir.Local := true;
  Dir.HeadVld := false;
  undefine Dir.HeadPtr;
  TakeCopy(Home, CACHE_E, Uni[Home].Data);
  EndMiss(Home);
end;

ruleset n : NODE do
  rule "NI_Remote_Put"
    n != Home & Uni[n].Cmd = UNI_Put
  ==>
    TakeShared(n, Uni[n].Data);
    EndMiss(n);
  end;

  rule "NI_Remote_PutX"
    n != Home & Uni[n].Cmd = UNI_PutX & Proc[n].Wish = WISH_GetX
  ==>
    TakeCopy(n, CACHE_E, Uni[n].Data);
    EndMiss(n);
  end;
end;

-- Invalidations.

ruleset n : NODE do
  rule "NI_Inv"
    n != Home & Invs[n] = INV_Inv
  ==>
    Invs[n] := INV_Ack;
    DropCopy(n);
    if Proc[n].Wish = WISH_Get then
      Proc[n].InvMarked := true;
    end;
  end;

  rule "NI_InvAck"
    n != Home & Invs[n] = INV_Ack & Dir.Pending & Dir.InvSet[n]
  ==>
    Invs[n] := INV_None;
    Dir.InvSet[n] := false;
    if forall p : NODE do !Dir.InvSet[p] end then
      Dir.Pending := false;
      if Dir.Local & !Dir.Dirty then
        Dir.Local := false;
      end;
      Collecting := false;
      undefine PrevData;
    end;
  end;
end;

-- What else the home hears.

rule "NI_Wb"
  Wb.Valid
==>
  Mem := Wb.Data;
  Wb.Valid := false;
  undefine Wb.Data;
  Dir.Dirty := false;
  Dir.HeadVld := false;
  undefine Dir.HeadPtr;
end;

rule "NI_FAck"
  Shwb.Cmd = SHWB_FAck
==>
  Dir.Pending := false;
  if Dir.Dirty then
    Dir.HeadPtr := Shwb.Proc;
  end;
  Shwb.Cmd := SHWB_None;
  undefine Shwb.Proc;
end;

rule "NI_ShWb"
  Shwb.Cmd = SHWB_ShWb
==>
  Dir.Pending := false;
  Dir.Dirty := false;
  Dir.ShrVld := true;
  Dir.ShrSet[Shwb.Proc] := true;
  Mem := Shwb.Data;
  Shwb.Cmd := SHWB_None;
  undefine Shwb.Proc;
  undefine Shwb.Data;
end;

ruleset n : NODE do
  rule "NI_Replace"
    Repl[n]
  ==>
    Repl[n] := false;
    if Dir.ShrVld then
      Dir.ShrSet[n] := false;
    end;
  end;
end;

invariant "CacheStateProp"
  forall p : NODE do forall q : NODE do
    Proc[p].State = CACHE_E & Proc[q].State = CACHE_E -> p = q
  end end;

invariant "CacheDataProp"
  forall p : NODE do
    (Proc[p].State = CACHE_E -> Proc[p].Data = CurrData) &
    (Proc[p].State = CACHE_S ->
      Proc[p].Data = (Collecting ? PrevData : CurrData))
  end;

invariant "MemDataProp"
  !Dir.Dirty -> Mem = CurrData;
