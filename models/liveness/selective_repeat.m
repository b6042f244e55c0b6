-- Response of selective repeat over lossy channels.
--
-- The protocol, its source and its parameters: ../selective_repeat.m, which
-- has the same states. Losses are not fair. Sending and receiving are strongly
-- fair for each sequence number; that is why the receipts are one rule for
-- each number here.
-- Source of the property: B. Bingham's PhD thesis (University of British
-- Columbia, 2015), Table 6.1 (swp4.2_sf): the sender can always take new data
-- in the end.
-- Expected: holds.

const
  W        : 2;
  CAP      : 2;
  DATA_NUM : 2;
  MOD      : 2 * W;

type
  DATA  : scalarset(DATA_NUM);
  SEQ   : 0..MOD - 1;
  SIZE  : 0..W;
  PLACE : 0..CAP - 1;
  COUNT : 0..CAP;
  PACKET : record
    seq  : SEQ;
    data : DATA;
  end;

var
  -- The sender: the window is base, base + 1, .. base + size - 1, modulo MOD.
  base   : SEQ;
  size   : SIZE;
  buffer : array [SEQ] of DATA;       -- defined: not acknowledged

  -- The receiver: it lacks `expects`; of the W - 1 numbers after it, it may
  -- have some.
  expects : SEQ;
  kept    : array [SEQ] of DATA;      -- defined: received out of order

  -- The channels; places from `..Len` on are undefined.
  packet    : array [PLACE] of PACKET;
  packetLen : COUNT;
  ack       : array [PLACE] of SEQ;
  ackLen    : COUNT;

-- How far s lies after `from`.
function Offset(s : SEQ; from : SEQ) : SEQ;
begin
  return (s + MOD - from) % MOD;
end;

procedure DropPacket();
begin
  for k : PLACE do
    if k + 1 < packetLen then
      packet[k] := packet[k + 1];
    end;
  end;
  undefine packet[packetLen - 1];
  packetLen := packetLen - 1;
end;

-- An acknowledgement that finds its channel full is lost.
procedure SendAck(a : SEQ);
begin
  if ackLen < CAP then
    ack[ackLen] := a;
    ackLen := ackLen + 1;
  end;
end;

procedure DropAck();
begin
  for k : PLACE do
    if k + 1 < ackLen then
      ack[k] := ack[k + 1];
    end;
  end;
  undefine ack[ackLen - 1];
  ackLen := ackLen - 1;
end;

startstate "quiet"
  base := 0;
  size := 0;
  undefine buffer;
  expects := 0;
  undefine kept;
  undefine packet;
  packetLen := 0;
  undefine ack;
  ackLen := 0;
end;

ruleset d : DATA do
  rule "take new data"
    size < W
  ==>
    buffer[(base + size) % MOD] := d;
    size := size + 1;
  end;
end;

ruleset s : SEQ do
  strong fair rule "send data"
    !isundefined(buffer[s]) & packetLen < CAP
  ==>
    packet[packetLen].seq := s;
    packet[packetLen].data := buffer[s];
    packetLen := packetLen + 1;
  end;
end;

rule "lose data"
  packetLen > 0
==>
  DropPacket();
end;

-- A datum that the receiver sees for the first time cannot have been
-- acknowledged yet, so the sender must still have it in its buffer.
ruleset r : SEQ do
  strong fair rule "receive data"
    packetLen > 0 & packet[0].seq = r
  ==>
    alias s : packet[0].seq do
      if Offset(s, expects) < W & isundefined(kept[s]) then
        assert !isundefined(buffer[s]) & buffer[s] = packet[0].data
          "received what was sent";
        kept[s] := packet[0].data;
      end;
      SendAck(s);
    end;
    while !isundefined(kept[expects]) do
      undefine kept[expects];
      expects := (expects + 1) % MOD;
    end;
    DropPacket();
  end;
end;

rule "lose an acknowledgement"
  ackLen > 0
==>
  DropAck();
end;

ruleset a : SEQ do
  strong fair rule "receive an acknowledgement"
    ackLen > 0 & ack[0] = a
  ==>
    undefine buffer[ack[0]];
    while size > 0 & isundefined(buffer[base]) do
      base := (base + 1) % MOD;
      size := size - 1;
    end;
    DropAck();
  end;
end;

liveness "the sender can take new data in the end"
  size = W
  LEADSTO
  size < W;
