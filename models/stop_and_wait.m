-- Stop and wait: the sliding window of size one (the alternating bit protocol).
--
-- The sender takes one datum, sends it with a one-bit sequence number, again
-- and again, until an acknowledgement with this bit arrives; then it flips the
-- bit and takes the next datum. The receiver delivers a datum whose bit is the
-- one it expects, and acknowledges every bit it receives. Both channels are
-- FIFO queues of CAP places; they may lose their oldest message at any time.
--
-- Source: K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson, "A note on
--   reliable full-duplex transmission over half-duplex links", Communications
--   of the ACM 12(5), 1969; as the smallest of three sliding window protocols:
--   B. Bingham's PhD thesis (University of British Columbia, 2015), Table 6.1.
-- Parameters: CAP places in each channel, DATA_NUM data values (a scalarset).
-- Properties: what is delivered is what was sent, in order, nothing twice and
--   nothing left out (the assertion in "receive data"); no deadlock. "The
--   sender can always take new data in the end": liveness/stop_and_wait.m.
-- Counts (states / rules fired):
--   CAP, DATA_NUM      no symmetry   exact symmetry
--   2, 2                 198 / 740        102 / 380
--   4, 2               878 / 3,788      444 / 1,912
--   8, 2            4,830 / 22,412   2,424 / 11,240
-- Verdict: holds.

const
  CAP      : 4;
  DATA_NUM : 2;

type
  DATA  : scalarset(DATA_NUM);
  BIT   : 0..1;
  PLACE : 0..CAP - 1;
  COUNT : 0..CAP;
  PACKET : record
    bit  : BIT;
    data : DATA;
  end;

var
  -- The sender. `datum` is undefined when there is nothing to send.
  datum   : DATA;
  bit     : BIT;

  -- The receiver: the bit it expects.
  expects : BIT;

  -- The channels; places from `..Len` on are undefined.
  packet    : array [PLACE] of PACKET;
  packetLen : COUNT;
  ack       : array [PLACE] of BIT;
  ackLen    : COUNT;

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
procedure SendAck(a : BIT);
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
  undefine datum;
  bit := 0;
  expects := 0;
  undefine packet;
  packetLen := 0;
  undefine ack;
  ackLen := 0;
end;

ruleset d : DATA do
  rule "take new data"
    isundefined(datum)
  ==>
    datum := d;
  end;
end;

rule "send data"
  !isundefined(datum) & packetLen < CAP
==>
  packet[packetLen].bit := bit;
  packet[packetLen].data := datum;
  packetLen := packetLen + 1;
end;

rule "lose data"
  packetLen > 0
==>
  DropPacket();
end;

-- A datum that is delivered for the first time cannot have been acknowledged
-- yet, so it must be the one the sender is still holding.
rule "receive data"
  packetLen > 0
==>
  if packet[0].bit = expects then
    assert !isundefined(datum) & datum = packet[0].data
      "delivered what was sent";
    expects := 1 - expects;
  end;
  SendAck(packet[0].bit);
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
  if !isundefined(datum) & ack[0] = bit then
    undefine datum;
    bit := 1 - bit;
  end;
  DropAck();
end;

invariant "the receiver is never ahead of the sender"
  isundefined(datum) -> expects = bit;
