-- A snoopy cache hierarchy of two levels.
--
-- CORES cores, each with a first-level cache (L1), form a cluster around one
-- second-level cache (L2) and a cluster bus. CLUSTERS clusters share a global
-- bus and the memory. Both levels keep one line and run MSI; L2 is inclusive.
--
-- A core that misses puts its wish on the cluster bus when the bus is free. If
-- the L2 has enough, the other L1s snoop the wish (they flush or drop their
-- copies) and the core is served. If not, the L2 asks on the global bus, which
-- serves one cluster at a time. All other clusters snoop: their L1s flush and
-- drop one by one, then the L2 writes back, downgrades or drops, and reports.
-- When all have reported, the asking L2 takes the line from memory. A core
-- whose cluster has to snoop meanwhile may be refused (Nack) and must ask
-- again.
--
-- Source: the shape of X. Chen, Y. Yang, M. DeLisi, G. Gopalakrishnan,
--   C.-T. Chou, "Hierarchical cache coherence protocol verification one level
--   at a time through assume guarantee", HLDVT 2007, used as `snoop2` (2
--   clusters, 2 first-level caches each) in B. Bingham's PhD thesis (University
--   of British Columbia, 2015), Table 6.1. The protocol is a simpler one of the
--   same family, so the published 2,648,763 states are not reproduced.
-- Parameters: CLUSTERS, CORES (per cluster), DATA_NUM data values; scalarsets.
-- Properties: coherence on both levels (a writer excludes all other copies),
--   inclusion, every readable copy and clean memory hold the last value stored;
--   no deadlock. Response, which refusals spoil: liveness/snoop.m.
-- Counts (states / rules fired):
--   CLUSTERS, CORES, DATA_NUM         no symmetry   exact symmetry
--   2, 2, 1                         1,525 / 6,280      395 / 1,649
--   2, 2, 2                        4,274 / 18,708      549 / 2,426
--   2, 3, 2                      20,386 / 108,188    1,025 / 5,658
--   3, 2, 2                     115,530 / 727,710   5,108 / 32,394
-- Verdict: holds.

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
  rule "store"
    l1[c][k].state = M
  ==>
    l1[c][k].data := d;
    last := d;
  end;
end;

ruleset c : CLUSTER; k : CORE do
  rule "miss: ask for a shared copy"
    busWish[c] = None & l1[c][k].state = I
  ==>
    busWish[c] := GetS;
    busCore[c] := k;
  end;

  rule "miss: ask for a writable copy"
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
  rule "serve within the cluster"
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

  rule "ask on the global bus"
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
  rule "snoop: L1 flushes"
    snoop[c] = Asked & l1[c][k].state = M
  ==>
    l2[c].data := l1[c][k].data;
    l1[c][k].state := S;
  end;

  rule "snoop: L1 drops"
    snoop[c] = Asked & topWish = GetM & l1[c][k].state = S
  ==>
    Drop(l1[c][k]);
  end;
end;

ruleset c : CLUSTER do
  rule "snoop: L2 reports"
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

rule "all have reported"
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

invariant "a writable L2 copy excludes other L2 copies"
  forall c : CLUSTER do forall e : CLUSTER do
    l2[c].state = M & c != e -> l2[e].state = I
  end end;

invariant "a writable L1 copy excludes other L1 copies"
  forall c : CLUSTER do forall k : CORE do
    l1[c][k].state = M ->
    forall e : CLUSTER do forall j : CORE do
      l1[e][j].state = I | (c = e & k = j)
    end end
  end end;

invariant "inclusion"
  forall c : CLUSTER do forall k : CORE do
    (l1[c][k].state != I -> l2[c].state != I) &
    (l1[c][k].state = M -> l2[c].state = M)
  end end;

invariant "copies are up to date"
  forall c : CLUSTER do
    (forall k : CORE do l1[c][k].state != I -> l1[c][k].data = last end) &
    (l2[c].state != I & (forall k : CORE do l1[c][k].state != M end) ->
     l2[c].data = last)
  end;

invariant "clean memory is up to date"
  (forall c : CLUSTER do l2[c].state != M end) -> memory = last;
