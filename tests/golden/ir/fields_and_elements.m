-- Selecting what is not there.

type r : record width: 0..3; height: 0..3; width: boolean; end; --~ error: two fields `width`
type s : record width: 0..3; height: 0..3; end;
var v: s; a: array [0..3] of s; x: 0..3;
startstate begin
  v.widht := 1; --~ error: the record has no field `widht` --~ help: did you mean `width`?
  x.f := 1; --~ error: 0..3 has no fields
  v[0] := 1; --~ error: s has no elements
  a[0].height[1] := 1; --~ error: 0..3 has no elements
  a[true].height := 1; --~ error: the index must be 0..3, not boolean
end;
