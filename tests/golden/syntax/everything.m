-- expect: ok
-- Every construct once, in the order of docs/language.md.

const  /* how many */
  N : 3; M : 2 * (N + 1) - -4 % 3
  Mask : 0xFF; -- hexadecimal
  A, B, : 1 << 2;
TYPE
  Node : scalarset(N);
  Home : enum { Directory };
  Any : union { Node, Home, scalarset(2), enum { x1, x2, } };
  -- what a line may be
  State : enum {
    Invalid, -- nobody has it
    Shared,
    /* one has it */ Owned
  };
  Small : -N .. N + 1;
  Flag : Boolean;
  Message : record
    kind : enum { Get, Put1 };   -- what
    from, to1 : Any;

    data : record a : Flag; b : array [Flag] of Small end;
  end;
  Empty : record end;
  Real1 : real(4, 2);
var
  net : multiset [M] of Message;
  grid : array [Node] of array [0..3] of Message;
  cover, assume, choose, fair, strong, unhelpful, process, union : boolean;
  real, multiset, fairness, leadsto, cangetto, unfair : 0..3
var
  last : record who : Any; what : State endrecord;

function Max(a, b : Small) : Small;
var t : Small;
begin
  -- the larger
  if a > b then return a; -- left
  -- otherwise
  else -- the other
    return b
  endif;
end;

Procedure Send(var m : Message; to1 : Any;);
const K : 2;
type T : 0 .. K;
var i : T;
begin
  m.to1 := to1;
  undefine m.data;
  MultiSetAdd(m, net)
end;

function Broken(): boolean; return true; end

startstate "first"
  const Zero : 0;
begin
  clear grid;
  for n : Node do
    for i := 0 to 3 by 2 do grid[n][i].kind := Get end
    for i : 0..1; j := 3 to 0 by -1 do ;; end;
  endfor;
  alias g : grid; h : last.who; do h := undefined; alias z : g do clear z; end end;
  fair := false; cover := TRUE; real := 1;
  switch real
  -- low
  case 0, 1: real := 2;
  case 2: -- nothing
  else
    real := 0;
  endswitch;
  while real < 3 do real := real + 1; endwhile;
  put "real is "; put real; put cover ? 1 : (assume ? 2 : 3);
  error "no way";
  assert real = 3 "late";
  assert "early" real == 3;
  assume real > 0;
  cover (real = 1) | real = 2;
  liveness real = 1;
  invariant "inside" true;
  undefine last;
  multisetremovepred(i : net, net[i].kind = Get & isundefined(net[i].from));
  multisetremove(0, net);
  if MultisetCount(i : net, true) = 0 then elsif IsMember(last.who, Node) then Send(grid[0][1], last.who); end;
  return;
end;

startstate begin end;

ruleset n : Node; i := 0 to N - 1 by 1 do
  -- about this rule
  rule "step" -- named
    ! cover -> fair & (strong | union) & real = 1 ^ 2 && (process || choose) -- guard
  ==>
    var l : Small;
  begin
    l := ~real + -real * 2 - (real - 1) - (-real);
    -- last words
  end;

  fair rule 10 "urgent" n != n ==> end
  strong fair rule "strong" begin end;
  unhelpful fair rule exists m : Node do m = n end ==> begin end;
  rule unfair "u" fair := true; end;
  rule unfair ==> end;
  rule real = 3 ==> end;
  rule Send(grid[n][0], n); end;

  alias me : grid[n] do
    rule me[0].kind = Get ==> begin me[0].kind := Put1; end;
  endalias;

  choose m : net do
    rule "receive" true ==> begin multisetremove(m, net); end;
  endchoose;

  startstate "nested" begin clear net end;
  invariant "nested" real >= 0;
  invariant real ≥ 0 "after";
  assume "a" ∀ k : Node do ∃ j : Node; l : 0…3 do k ≠ j ∧ l ≤ 3 ∨ ¬cover end end;
  cover "c" real × 2 ÷ 1 − 1 > 0;
end;

strong fair ruleset n : Node do rule begin end; end;

unhelpful ruleset b : boolean do
end;

process "Client" n : Node do
  rule "think" begin end;
endprocess;

liveness "always again" cover;
liveness "helped" cover CANGETTO assume;
liveness cover & assume LeadsTo fair "after";
fair "scheduler" cover;
strong fair "channel" cover | fair -> assume;
fair cover -> assume;
fairness "word" cover;
assert "top" forall i : 0..3 : i >= 0 end;
/* the
   end */
