-- A careless directory over an unordered network, in the idioms of CMurphi's users.
-- Unions for nodes, multisets for channels and sharers, undefined arguments, aliases around choices.
-- symmetry: exhaustive
-- deadlock: off
-- states: 818
-- fired: 2183
-- verdict: violated
-- verdict: fault "assert" violated
-- rumur: no, it checks neither unions nor multisets

const
  ProcCount: 2;
  NetMax: ProcCount + 2;
type
  Proc: scalarset(ProcCount);
  Home: enum { HomeType };
  Node: union { Home, Proc };
  Value: scalarset(2);
  Kind: enum { GetS, GetM, WB, Data, Inv, InvAck };
  Message: record
    mtype: Kind;
    src: Node;
    val: Value;
  end;
  HomeRec: record
    state: enum { HI, HS, HM, HT };
    owner: Node;
    wanted: Node;
    sharers: multiset [ProcCount] of Node;
    val: Value;
  end;
  ProcRec: record
    state: enum { PI, PS, PM, PW };
    val: Value;
  end;
var
  HomeNode: HomeRec;
  Procs: array [Proc] of ProcRec;
  Net: array [Node] of multiset [NetMax] of Message;
  done: boolean;

Procedure Send(mtype: Kind; dst: Node; src: Node; val: Value; );
var msg: Message;
Begin
  Assert (MultiSetCount(i:Net[dst], true) < NetMax) "Too many messages";
  msg.mtype := mtype;
  msg.src := src;
  msg.val := val;
  MultiSetAdd(msg, Net[dst]);
End;

Procedure AddToSharers(n: Node);
Begin
  if MultiSetCount(i:HomeNode.sharers, HomeNode.sharers[i] = n) = 0 then
    MultiSetAdd(n, HomeNode.sharers);
  endif;
End;

Function IsSharer(n: Node): Boolean;
Begin
  return MultiSetCount(i:HomeNode.sharers, HomeNode.sharers[i] = n) > 0
End;

Procedure InvalidateSharers(rqst: Node);
Begin
  for n:Node do
    if IsMember(n, Proc) & IsSharer(n) then
      if n != rqst then Send(Inv, n, HomeType, UNDEFINED); else MultiSetRemovePred(i:HomeNode.sharers, HomeNode.sharers[i] = n); endif;
    endif;
  endfor;
End;

Procedure Settle();
Begin
  if HomeNode.state = HT & MultiSetCount(i:HomeNode.sharers, true) = 0 then
    HomeNode.state := HM;
    HomeNode.owner := HomeNode.wanted;
    undefine HomeNode.wanted;
    Send(Data, HomeNode.owner, HomeType, HomeNode.val);
  endif;
End;

Procedure HomeReceive(msg: Message);
Begin
  done := true;
  switch msg.mtype
  case GetS:
    if HomeNode.state = HI | HomeNode.state = HS then
      HomeNode.state := HS;
      AddToSharers(msg.src);
      Send(Data, msg.src, HomeType, HomeNode.val);
    else
      done := false;
    endif;
  case GetM:
    if HomeNode.state = HI | HomeNode.state = HS then
      HomeNode.state := HT;
      HomeNode.wanted := msg.src;
      InvalidateSharers(msg.src);
      Settle();
    else
      done := false;
    endif;
  case InvAck:
    MultiSetRemovePred(i:HomeNode.sharers, HomeNode.sharers[i] = msg.src);
    Settle();
  case WB:
    HomeNode.state := HI;
    HomeNode.val := msg.val;
    undefine HomeNode.owner;
  else
    error "unexpected message at home";
  endswitch;
End;

Procedure ProcReceive(msg: Message; p: Proc);
Begin
  done := true;
  alias r: Procs[p] do
    switch msg.mtype
    case Data:
      if r.state = PW & HomeNode.state = HM then r.state := PM; else r.state := PS; endif;
      r.val := msg.val;
    case Inv:
      if r.state != PW then r.state := PI; endif;
      undefine r.val;
      Send(InvAck, msg.src, p, UNDEFINED);
    else
      error "unexpected message at a processor";
    endswitch;
  endalias;
End;

ruleset n: Proc do
  alias p: Procs[n] do
    rule "read" p.state = PI & !IsSharer(n) ==> Send(GetS, HomeType, n, UNDEFINED); p.state := PW; endrule;
    rule "write" p.state = PS & HomeNode.state = HS ==> Send(GetM, HomeType, n, UNDEFINED); p.state := PW; endrule;
    rule "evict" p.state = PM ==> Send(WB, HomeType, n, p.val); p.state := PI; undefine p.val; endrule;
    ruleset v: Value do
      rule "store" p.state = PM ==> p.val := v; endrule;
    endruleset;
  endalias;
endruleset;

ruleset n: Node do
  choose midx: Net[n] do
    alias chan: Net[n] do
    alias msg: chan[midx] do
      rule "receive" !isundefined(msg.mtype) ==>
        if IsMember(n, Home) then HomeReceive(msg); else ProcReceive(msg, n); endif;
        if done then MultiSetRemove(midx, chan); endif;
      endrule;
    endalias
    endalias;
  endchoose;
endruleset;

startstate
  for v: Value do HomeNode.val := v; endfor;
  HomeNode.state := HI;
  undefine HomeNode.sharers;
  undefine Procs;
  for i: Proc do Procs[i].state := PI; endfor;
  undefine Net;
  done := true;
endstartstate;

invariant "an owner is a processor"
  HomeNode.state = HM -> !isundefined(HomeNode.owner) & IsMember(HomeNode.owner, Proc);
