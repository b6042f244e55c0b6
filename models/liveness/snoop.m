-- Response of the two-level snoopy cache, which refusals spoil.
--
-- The protocol, its source and its parameters: ../snoop.m, which has the same
-- states. All rules that carry a transaction on are strongly fair. Still a
-- core can be refused every time another cluster asks, drop its wish, ask
-- again, and never be served: requests that may be refused are not responsive.
-- What does hold is that somebody is served: quiet buses stay in reach without
-- new misses.
-- Source of the property: B. Bingham's PhD thesis (University of British
-- Columbia, 2015), section 6.6, saw the same in the protocol it calls snoop2.
-- Expected: the response is violated; the deadlock freedom holds.

const
  CLUSTERS : 2;
  CORES    : 2;
  DATA_NUM : 2;

type
  CLUSTER : scalarset(CLUSTERS);
  CORE    : scalarset(CORES);
  DATA    : scalarset(DATA_NUM);

  LINE_STATE : enum { I, S, M };
  LINE : record
    state : LINE_STATE;
    data  : DATA;                -- defined exactly when state is not I
  end;

  WISH : enum { None, GetS, GetM };

  SNOOP : enum { Quiet, Asked, Done };

var
  l1     : array [CLUSTER] of array [CORE] of LINE;
  l2     : array [CLUSTER] of LINE;
  memory : DATA;

  -- The cluster buses: what is being served, and for whom.
  busWish : array [CLUSTER] of WISH;
  busCore : array [CLUSTER] of CORE;

  -- The global bus: what is being served, for whom, and who has reported.
  topWish    : WISH;
  topCluster : CLUSTER;
  snoop      : array [CLUSTER] of SNOOP;

  last : DATA;                   -- history: the value stored last

procedure Drop(var x : LINE);
begin
  x.state := I;
  undefine x.data;
end;

procedure Take(var x : LINE; s : LINE_STATE; d : DATA);
begin
  x.state := s;
  x.data := d;
end;

procedure EndBus(c : CLUSTER);
begin
  busWish[c] := None;
  undefine busCore[c];
end;

-- The L2 of cluster c may serve wish w by itself.
function Enough(c : CLUSTER; w : WISH) : boolean;
begin
  return l2[c].state = M | (l2[c].state = S & w = GetS);
end;

-- All L1s of cluster c are such that the L2 can report to the global snoop.
function Ready(c : CLUSTER) : boolean;
begin
  return forall k : CORE do
    l1[c][k].state = I | (l1[c][k].state = S & topWish = GetS)
  end;
end;

ruleset d : DATA do
  startstate "all caches empty"
    for c : CLUSTER do
      for k : CORE do
        l1[c][k].state := I;
      end;
      l2[c].state := I;
      busWish[c] := None;
      snoop[c] := Quiet;
    end;
    topWish := None;
    memory := d;
    last := d;
  end;
end;

-- Cores.

ruleset c : CLUSTER; k : CORE; d : DATA do
  unhelpful rule "store"
    l1[c][k].state = M
  ==>
    l1[c][k].data := d;
    last := d;
  end;
end;

ruleset c : CLUSTER; k : CORE do
  unhelpful rule "miss: ask for a shared copy"
    busWish[c] = None & l1[c][k].state = I
  ==>
    busWish[c] := GetS;
    busCore[c] := k;
  end;

  unhelpful rule "miss: ask for a writable copy"
    busWish[c] = None & l1[c][k].state != M
  ==>
    busWish[c] := GetM;
    busCore[c] := k;
  end;

  rule "evict from L1"
    l1[c][k].state != I
  ==>
    if l1[c][k].state = M then
      l2[c].data := l1[c][k].data;
    end;
    Drop(l1[c][k]);
  end;
end;

-- Cluster buses.

ruleset c : CLUSTER do
  strong fair rule "serve within the cluster"
    busWish[c] != None & snoop[c] != Asked & Enough(c, busWish[c])
  ==>
    for k : CORE do
      if l1[c][k].state = M then
        l2[c].data := l1[c][k].data;
        l1[c][k].state := S;
      end;
      if busWish[c] = GetM & k != busCore[c] then
        Drop(l1[c][k]);
      end;
    end;
    Take(l1[c][busCore[c]], (busWish[c] = GetM ? M : S), l2[c].data);
    EndBus(c);
  end;

  strong fair rule "ask on the global bus"
    busWish[c] != None & !Enough(c, busWish[c]) & topWish = None
  ==>
    topWish := busWish[c];
    topCluster := c;
    for e : CLUSTER do
      if e != c then
        snoop[e] := Asked;
      end;
    end;
  end;

  -- The asking cluster itself is never asked to snoop, so never refused.
  rule "refuse"
    busWish[c] != None & snoop[c] = Asked
  ==>
    EndBus(c);
  end;

  rule "evict from L2"
    l2[c].state != I & snoop[c] != Asked &
    (topWish != None -> topCluster != c) &
    forall k : CORE do l1[c][k].state = I end
  ==>
    if l2[c].state = M then
      memory := l2[c].data;
    end;
    Drop(l2[c]);
  end;
end;

-- The global bus.

ruleset c : CLUSTER; k : CORE do
  strong fair rule "snoop: L1 flushes"
    snoop[c] = Asked & l1[c][k].state = M
  ==>
    l2[c].data := l1[c][k].data;
    l1[c][k].state := S;
  end;

  strong fair rule "snoop: L1 drops"
    snoop[c] = Asked & topWish = GetM & l1[c][k].state = S
  ==>
    Drop(l1[c][k]);
  end;
end;

ruleset c : CLUSTER do
  strong fair rule "snoop: L2 reports"
    snoop[c] = Asked & Ready(c)
  ==>
    if l2[c].state = M then
      memory := l2[c].data;
      l2[c].state := S;
    end;
    if topWish = GetM then
      Drop(l2[c]);
    end;
    snoop[c] := Done;
  end;
end;

strong fair rule "all have reported"
  topWish != None &
  forall c : CLUSTER do c != topCluster -> snoop[c] = Done end
==>
  Take(l2[topCluster], (topWish = GetM ? M : S), memory);
  topWish := None;
  undefine topCluster;
  for c : CLUSTER do
    snoop[c] := Quiet;
  end;
end;

ruleset c : CLUSTER; k : CORE do
  liveness "a wish for a writable copy is served"
    busWish[c] = GetM & busCore[c] = k
    LEADSTO
    l1[c][k].state = M;
end;

liveness "the buses can become quiet"
  true
  CANGETTO
  topWish = None & forall c : CLUSTER do busWish[c] = None end;
