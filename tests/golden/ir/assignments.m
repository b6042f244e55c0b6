-- Types must fit; ranges always do.

type e : enum { p, q }; f : enum { v, w };
type r : record a: 0..5; end; s : record a: 0..6; end; same : record a: 0..5; end;
var x: 0..3; y: -5..90; b: boolean; c: e; d: f; u: r; t: s; z: same;
startstate begin
  x := y;
  u := z;
  x := true; --~ error: the value assigned must be 0..3, not boolean
  b := 1; --~ error: the value assigned must be boolean, not integer
  c := v; --~ error: the value assigned must be e, not f
  u := t; --~ error: the value assigned must be r, not s --~ help: the same type only where fields
  u := 3; --~ error: the value assigned must be r, not integer
  c := d; --~ error: the value assigned must be e, not f
end;
