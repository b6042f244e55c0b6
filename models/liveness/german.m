-- Progress of German's protocol: deadlock freedom and response.
--
-- The protocol, its source and its parameters: ../german.m, which has the same
-- rules and the same states. This file adds what makes progress a question:
--  - the rules that start something new, "Store", "SendReqS" and "SendReqE",
-- are unhelpful: a stuck transaction must be able to end without them;
--  - all rules that carry a transaction on are fair. "RecvReqS" and "RecvReqE"
-- need strong fairness, as the home may serve others in between; weak fairness
-- is enough for the rest.
-- Source of the properties: B. Bingham's PhD thesis (University of British
-- Columbia, 2015), section 5.5.2 (quiescence: no transaction in service, all
-- channels empty) and section 6.6 (exclusive requests are granted).
-- Expected: both hold.

const
  NODE_NUM : 2;
  DATA_NUM : 2;

type
  NODE : scalarset(NODE_NUM);
  DATA : scalarset(DATA_NUM);

  -- Invalid, Shared (read only), Exclusive (read and write).
  CACHE_STATE : enum { I, S, E };
  CACHE : record
    State : CACHE_STATE;
    Data  : DATA;            -- defined exactly when State is not I
  end;

  MSG_CMD : enum { Empty, ReqS, ReqE, Inv, InvAck, GntS, GntE };
  MSG : record
    Cmd  : MSG_CMD;          -- Empty: the channel holds no message
    Data : DATA;
  end;

var
  Cache   : array [NODE] of CACHE;
  Chan1   : array [NODE] of MSG;      -- requests: ReqS, ReqE
  Chan2   : array [NODE] of MSG;      -- answers: Inv, GntS, GntE
  Chan3   : array [NODE] of MSG;      -- acknowledgements: InvAck

  -- The home's directory.
  ShrSet  : array [NODE] of boolean;  -- who may hold a copy
  InvSet  : array [NODE] of boolean;  -- who is still to be sent an Inv
  ExGntd  : boolean;                  -- the copy in ShrSet is exclusive
  CurCmd  : MSG_CMD;                  -- the request in service, or Empty
  CurPtr  : NODE;                     -- who asked; defined while in service
  MemData : DATA;

  -- History variable: the value stored last. Only the properties read it.
  AuxData : DATA;

-- The home may have to invalidate before it can serve the current request.
function MustInvalidate() : boolean;
begin
  return CurCmd = ReqE | (CurCmd = ReqS & ExGntd);
end;

-- The home takes request c of cache i into service and freezes the set of
-- caches that may have to be invalidated for it.
procedure Accept(i : NODE; c : MSG_CMD);
begin
  CurCmd := c;
  CurPtr := i;
  Chan1[i].Cmd := Empty;
  for j : NODE do
    InvSet[j] := ShrSet[j];
  end;
end;

-- The home answers the request in service with a grant and is free again.
procedure Grant(i : NODE; c : MSG_CMD);
begin
  Chan2[i].Cmd := c;
  Chan2[i].Data := MemData;
  ShrSet[i] := true;
  CurCmd := Empty;
  undefine CurPtr;
end;

-- Cache i takes the granted copy out of its answer channel.
procedure Install(i : NODE; s : CACHE_STATE);
begin
  Cache[i].State := s;
  Cache[i].Data := Chan2[i].Data;
  Chan2[i].Cmd := Empty;
  undefine Chan2[i].Data;
end;

ruleset d : DATA do
  startstate "Init"
    for i : NODE do
      Cache[i].State := I;
      Chan1[i].Cmd := Empty;
      Chan2[i].Cmd := Empty;
      Chan3[i].Cmd := Empty;
      ShrSet[i] := false;
      InvSet[i] := false;
    end;
    ExGntd := false;
    CurCmd := Empty;
    MemData := d;
    AuxData := d;
  end;
end;

-- The caches.

ruleset i : NODE; d : DATA do
  unhelpful rule "Store"
    Cache[i].State = E
  ==>
    Cache[i].Data := d;
    AuxData := d;
  end;
end;

ruleset i : NODE do
  unhelpful rule "SendReqS"
    Chan1[i].Cmd = Empty & Cache[i].State = I
  ==>
    Chan1[i].Cmd := ReqS;
  end;

  -- A sharer may ask for an upgrade; it will be invalidated on the way.
  unhelpful rule "SendReqE"
    Chan1[i].Cmd = Empty & Cache[i].State != E
  ==>
    Chan1[i].Cmd := ReqE;
  end;

  -- An owner sends its dirty data along. Data in this channel is defined only
  -- while the acknowledgement of an owner is under way.
  fair rule "SendInvAck"
    Chan2[i].Cmd = Inv & Chan3[i].Cmd = Empty
  ==>
    Chan2[i].Cmd := Empty;
    Chan3[i].Cmd := InvAck;
    if Cache[i].State = E then
      Chan3[i].Data := Cache[i].Data;
    end;
    Cache[i].State := I;
    undefine Cache[i].Data;
  end;

  fair rule "RecvGntS"
    Chan2[i].Cmd = GntS
  ==>
    Install(i, S);
  end;

  fair rule "RecvGntE"
    Chan2[i].Cmd = GntE
  ==>
    Install(i, E);
  end;
end;

-- The home.

ruleset i : NODE do
  strong fair rule "RecvReqS"
    CurCmd = Empty & Chan1[i].Cmd = ReqS
  ==>
    Accept(i, ReqS);
  end;

  strong fair rule "RecvReqE"
    CurCmd = Empty & Chan1[i].Cmd = ReqE
  ==>
    Accept(i, ReqE);
  end;

  fair rule "SendInv"
    Chan2[i].Cmd = Empty & InvSet[i] & MustInvalidate()
  ==>
    Chan2[i].Cmd := Inv;
    InvSet[i] := false;
  end;

  -- The acknowledgement of an owner brings the dirty data back to memory.
  fair rule "RecvInvAck"
    Chan3[i].Cmd = InvAck & CurCmd != Empty
  ==>
    Chan3[i].Cmd := Empty;
    ShrSet[i] := false;
    if ExGntd then
      ExGntd := false;
      MemData := Chan3[i].Data;
      undefine Chan3[i].Data;
    end;
  end;

  fair rule "SendGntS"
    CurCmd = ReqS & CurPtr = i & Chan2[i].Cmd = Empty & !ExGntd
  ==>
    Grant(i, GntS);
  end;

  fair rule "SendGntE"
    CurCmd = ReqE & CurPtr = i & Chan2[i].Cmd = Empty & !ExGntd &
    forall j : NODE do !ShrSet[j] end
  ==>
    Grant(i, GntE);
    ExGntd := true;
  end;
end;

liveness "quiescence stays in reach"
  true
  CANGETTO
  CurCmd = Empty &
  forall i : NODE do
    Chan1[i].Cmd = Empty & Chan2[i].Cmd = Empty & Chan3[i].Cmd = Empty
  end;

ruleset i : NODE do
  liveness "an exclusive request is granted"
    Chan1[i].Cmd = ReqE
    LEADSTO
    Cache[i].State = E;
end;
