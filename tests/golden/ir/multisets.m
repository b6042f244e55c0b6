-- Multisets are indexed by their own positions only.

var net: multiset [2] of 0..3; other: multiset [3] of boolean; x: 0..3; b: boolean;
startstate begin
  multisetadd(true, net); --~ error: the element must be 0..3, not boolean
  multisetadd(1, x); --~ error: `x` is 0..3, not a multiset
  multisetremove(1, net); --~ error: the first argument of `multisetremove` must be position in multiset
  x := net[1]; --~ error: the index of a multiset must be position in multiset
  x := multisetcount(m : net, m); --~ error: the predicate of `multisetcount` must be boolean
  b := multisetcount(m : net, other[m]) = 0; --~ error: the index of a multiset must be position in multiset [3]
  multisetremovepred(m : x, true); --~ error: `x` is 0..3, not a multiset
end;
choose m : net do
  rule m = 1 ==> begin m := 2; end; --~ error: both sides of `=` must have the same type --~ error: `m` cannot be changed
end;
choose m : x do rule begin x := 0; end; end; --~ error: `x` is 0..3, not a multiset
