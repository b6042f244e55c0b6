-- Selective repeat: a sliding window with a buffer on both sides.
--
-- The sender may have up to W data under way, numbered modulo 2 * W. It may
-- send any of them that is not acknowledged, in any order and any number of
-- times. The receiver keeps what it gets of the next W numbers, delivers the
-- part without gaps, and acknowledges every packet by its number, also an old
-- one. The sender's window moves on when its oldest datum is acknowledged.
-- Channels are FIFO queues of CAP places that may lose their oldest message at
-- any time.
--
-- Source: A. S. Tanenbaum, "Computer Networks", the chapter on the data link
--   layer; B. Bingham's PhD thesis (University of British Columbia, 2015),
--   Table 6.1, has a model of this kind. 2 * W numbers are needed: with one
--   less, an old packet can look new (broken/selective_repeat_modulus.m).
-- Parameters: W the window, CAP places in each channel, DATA_NUM data values (a
--   scalarset).
-- Properties: what is delivered is what was sent, in order, nothing twice and
--   nothing left out (the assertion in "receive data"); the receiver waits for
--   a number in or just after the sender's window; no deadlock. "The sender can
--   always take new data in the end": liveness/selective_repeat.m.
-- Counts (states / rules fired):
--   W, CAP, DATA_NUM           no symmetry      exact symmetry
--   2, 2, 2                11,372 / 51,368      5,700 / 25,736
--   3, 2, 2            267,126 / 1,284,180   133,602 / 642,240
-- Verdict: holds.

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
  rule "send data"
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
rule "receive data"
  packetLen > 0
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

rule "lose an acknowledgement"
  ackLen > 0
==>
  DropAck();
end;

rule "receive an acknowledgement"
  ackLen > 0
==>
  undefine buffer[ack[0]];
  while size > 0 & isundefined(buffer[base]) do
    base := (base + 1) % MOD;
    size := size - 1;
  end;
  DropAck();
end;

invariant "the receiver waits for a number in or just after the window"
  Offset(expects, base) <= size;

invariant "only the window is buffered"
  forall s : SEQ do
    !isundefined(buffer[s]) -> Offset(s, base) < size
  end;
