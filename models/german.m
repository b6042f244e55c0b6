-- German's cache coherence protocol.
--
-- One home directory serves NODE_NUM caches over three one-place channels per
-- cache: Request (cache to home), Answer (home to cache: grants and
-- invalidations) and Ack (cache to home: acknowledged invalidations). A cache
-- asks for a shared or an exclusive copy. The home serves one request at a
-- time: it invalidates the caches in its sharer list where it has to (all of
-- them for an exclusive request; the exclusive owner for a shared request),
-- collects the acknowledgements, with the dirty data when there was an owner,
-- and grants.
--
-- Source: S. German, personal communication, 2000, set as a challenge for
--   parameterised verification; the version with data paths is the one of
--   C.-T. Chou, P. K. Mannava, S. Park, "A simple method for parameterized
--   verification of cache coherence protocols", FMCAD 2004, and of
--   B. Bingham's PhD thesis (University of British Columbia, 2015), Appendix A.
--   The variable and rule names of that version are kept, because traces,
--   job files and the literature speak them.
-- Parameters: NODE_NUM caches, DATA_NUM data values. Both types are scalarsets.
-- Properties: control coherence (an exclusive copy excludes every other copy),
--   data coherence (memory and caches hold the last value stored), and no
--   deadlock. Deadlock freedom and response: liveness/german.m.
-- Counts (states / rules fired), DATA_NUM = 2; all published, all reproduced:
--   NODE_NUM   no symmetry              exact symmetry
--   2              3,390 /     9,912       852 /   2,491
--   3             58,104 /   235,872     5,235 /  21,289
--   4          1,105,434 / 5,922,288    28,088 / 150,584
-- Verdict: holds.

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
  rule "Store"
    Cache[i].State = E
  ==>
    Cache[i].Data := d;
    AuxData := d;
  end;
end;

ruleset i : NODE do
  rule "SendReqS"
    Chan1[i].Cmd = Empty & Cache[i].State = I
  ==>
    Chan1[i].Cmd := ReqS;
  end;

  -- A sharer may ask for an upgrade; it will be invalidated on the way.
  rule "SendReqE"
    Chan1[i].Cmd = Empty & Cache[i].State != E
  ==>
    Chan1[i].Cmd := ReqE;
  end;

  -- An owner sends its dirty data along. Data in this channel is defined only
  -- while the acknowledgement of an owner is under way.
  rule "SendInvAck"
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

  rule "RecvGntS"
    Chan2[i].Cmd = GntS
  ==>
    Install(i, S);
  end;

  rule "RecvGntE"
    Chan2[i].Cmd = GntE
  ==>
    Install(i, E);
  end;
end;

-- The home.

ruleset i : NODE do
  rule "RecvReqS"
    CurCmd = Empty & Chan1[i].Cmd = ReqS
  ==>
    Accept(i, ReqS);
  end;

  rule "RecvReqE"
    CurCmd = Empty & Chan1[i].Cmd = ReqE
  ==>
    Accept(i, ReqE);
  end;

  rule "SendInv"
    Chan2[i].Cmd = Empty & InvSet[i] & MustInvalidate()
  ==>
    Chan2[i].Cmd := Inv;
    InvSet[i] := false;
  end;

  -- The acknowledgement of an owner brings the dirty data back to memory.
  rule "RecvInvAck"
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

  rule "SendGntS"
    CurCmd = ReqS & CurPtr = i & Chan2[i].Cmd = Empty & !ExGntd
  ==>
    Grant(i, GntS);
  end;

  rule "SendGntE"
    CurCmd = ReqE & CurPtr = i & Chan2[i].Cmd = Empty & !ExGntd &
    forall j : NODE do !ShrSet[j] end
  ==>
    Grant(i, GntE);
    ExGntd := true;
  end;
end;

invariant "CtrlProp"
  forall i : NODE do forall j : NODE do
    i != j & Cache[i].State = E -> Cache[j].State = I
  end end;

invariant "DataProp"
  (!ExGntd -> MemData = AuxData) &
  forall i : NODE do
    Cache[i].State != I -> Cache[i].Data = AuxData
  end;
