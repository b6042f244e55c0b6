-- What is not supported is said in words.

type a : real(3, 2); --~ error: `real` is not supported
type b : union { record x: 0..1; end }; --~ error: its parts must be simple
type c : array [record x: 0..1; end] of 0..1; --~ error: the index of an array must be a range
type d : multiset [-1] of 0..1; --~ error: a multiset may have room for 0 to 65536 elements
type e : union { 0..9223372036854775807 }; --~ error: too wide to be part of a union
var x: 0..1;
startstate begin x := 1.5; end; --~ error: `1.5` is not an integer
