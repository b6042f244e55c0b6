-- Limits are errors at their place, not memory exhaustion.

type huge : array [0..9999999999] of boolean;
var a: huge; --~ error: has 10000000000 parts; at most 1048576 are supported
var b: array [0..999999] of boolean; c: array [0..999999] of boolean; --~ error: with `c`, a state has more than 1048576 parts
var d: multiset [60000] of array [0..1000000] of boolean; --~ error: parts; at most 1048576 are supported
var n: 0..1;
procedure p(); var x: huge; begin n := 0; end; --~ error: has 10000000000 parts
startstate begin n := 0; end;
ruleset i : 0..99999; j : 0..99999 do rule begin n := 1; end; end; --~ error: with 10000000000 instances of this
