-- Broken on purpose: one sequence number too few.
--
-- As go_back_n.m (see there for the protocol, its source and its parameters),
-- but MOD is W, not W + 1.
--
-- What goes wrong: a full window that is sent again looks like the next
-- window: an assertion or invariant fails.
-- Verdict: violated (assertion or invariant).

const
  W        : 2;
  CAP      : 2;
  DATA_NUM : 2;
  MOD      : W;                        -- BROKEN

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
  -- The sender: the window is base, base + 1, .. base + size - 1, modulo MOD;
  -- `next` of them have been sent since the last timeout.
  base   : SEQ;
  size   : SIZE;
  next   : SIZE;
  buffer : array [SEQ] of DATA;       -- defined inside the window

  -- The receiver: the number it expects.
  expects : SEQ;

  -- The channels; places from `..Len` on are undefined.
  packet    : array [PLACE] of PACKET;
  packetLen : COUNT;
  ack       : array [PLACE] of SEQ;
  ackLen    : COUNT;

-- How far s lies after the base of the window.
function Offset(s : SEQ) : SEQ;
begin
  return (s + MOD - base) % MOD;
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
  next := 0;
  undefine buffer;
  expects := 0;
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

rule "send data"
  next < size & packetLen < CAP
==>
  packet[packetLen].seq := (base + next) % MOD;
  packet[packetLen].data := buffer[(base + next) % MOD];
  packetLen := packetLen + 1;
  next := next + 1;
end;

rule "time out"
  next > 0
==>
  next := 0;
end;

rule "lose data"
  packetLen > 0
==>
  DropPacket();
end;

-- A datum that is delivered for the first time cannot have been acknowledged
-- yet, so it must still be in the sender's window.
rule "receive data"
  packetLen > 0
==>
  if packet[0].seq = expects then
    assert Offset(expects) < size & buffer[expects] = packet[0].data
      "delivered what was sent";
    expects := (expects + 1) % MOD;
  end;
  SendAck(expects);
  DropPacket();
end;

rule "lose an acknowledgement"
  ackLen > 0
==>
  DropAck();
end;

-- Acknowledgement a confirms everything before a.
rule "receive an acknowledgement"
  ackLen > 0
==>
  while size > 0 & base != ack[0] do
    undefine buffer[base];
    base := (base + 1) % MOD;
    size := size - 1;
    if next > 0 then
      next := next - 1;
    end;
  end;
  DropAck();
end;

invariant "the receiver expects a number in or just after the window"
  Offset(expects) <= size;

invariant "exactly the window is buffered"
  forall s : SEQ do
    isundefined(buffer[s]) = (Offset(s) >= size)
  end;
