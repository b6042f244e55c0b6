-- Broken on purpose: the receiver ignores the bit.
--
-- As stop_and_wait.m (see there for the protocol, its source and its
-- parameters), but "receive data" delivers every packet, whatever its bit.
--
-- What goes wrong: a packet that was sent twice is delivered twice: the
-- assertion "delivered what was sent" fails, or the invariant first.
-- Verdict: violated (assertion or invariant).

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
  if true then                           -- BROKEN
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
