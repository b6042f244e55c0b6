-- Response of stop and wait over lossy channels.
--
-- The protocol, its source and its parameters: ../stop_and_wait.m, which has
-- the same states. Losses are not fair, they may or may not happen. Sending
-- and receiving are strongly fair: a channel cannot lose everything for ever.
-- (With weak fairness only, it could: a loss disables the receipt.)
-- Source of the property: B. Bingham's PhD thesis (University of British
-- Columbia, 2015), Table 6.1 (saw20_sf): the sender can always take new data
-- in the end.
-- Expected: holds.

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

strong fair rule "send data"
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
strong fair rule "receive data"
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

strong fair rule "receive an acknowledgement"
  ackLen > 0
==>
  if !isundefined(datum) & ack[0] = bit then
    undefine datum;
    bit := 1 - bit;
  end;
  DropAck();
end;

liveness "the sender can take new data in the end"
  !isundefined(datum)
  LEADSTO
  isundefined(datum);
