-- expect: ok
/* before */ const /* c1 */ N /* c2 */ : /* c3 */ 3 /* c4 */ ; /* c5 */ -- c6
-- t0
type -- t1
  -- t2
  T : record -- t3
    -- t4
    a : boolean; -- t5
    -- t6
  end; -- t7
  -- t8
var x : /* v1 */ T;
    y : enum { /* v2 */ p, q /* v3 */ }; -- v4

-- f0
function f(a : boolean; -- f1
           b : boolean) -- f2
  : boolean; -- f3
begin -- f4
  return a -- f5
    & b; -- f6
end; -- f7


-- r0
rule -- r1
  "name" -- r2
  x.a -- r3
  & -- r4
  true -- r5
  ==> -- r6
  -- r7
  var z : boolean; -- r8
  -- r9
begin -- r10
  -- r11

  -- r12
  if x.a then -- i1
    z := true; -- i2
  -- i3
  elsif z -- i4
  then
    -- i5
  else -- i6
    -- i7
  end; -- i8
  switch y -- s1
  -- s2
  case p: -- s3
    z := false; -- s4
  -- s5
  case q:
  else -- s6
  end -- s7
  alias w : x; -- a1
        v : y -- a2
  do -- a3
    w.a := v = p; /* a4 */ /* a5
      over lines */
    -- a6
  end;
  -- r13
end -- r14
-- last
invariant "kept" -- k0
  a = 1 & -- k1
  -- k2
  b = 2 -- k3
  & (c = 3 /* k4 */ | d = 4) /* k5 */ & e = 5 -- k6
  ; -- k7
type wide : enum { a1, a2, -- e1
  a3, /* e2 */ a4,
  -- e3
  a5 };
rule begin
  alias p : x; q : y do -- d1
    p := q;
  end;
  alias p : x -- d2
    ; q : y
    -- d3
  do p := q end;
  alias /* d4 */ do /* d5 */ end;
end;
procedure with_a_long_name_and_many_parameters(first_parameter : boolean; second_parameter : boolean; third : boolean); -- p1
begin
end;
