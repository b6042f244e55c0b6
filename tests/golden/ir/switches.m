-- The cases fit the subject, which is simple.

type e : enum { p, q };
var x: 0..3; c: e; r: record a: 0..1; end;
startstate begin
  switch x case 1, true: x := 1; end; --~ error: the case must be 0..3, not boolean
  switch c case p: x := 1; case 2: x := 2; end; --~ error: the case must be e, not integer
  switch r case 1: x := 1; end; --~ error: `switch` needs a simple value
end;
