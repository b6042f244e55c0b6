-- What `return` yields.

type e : enum { p };
function f(): 0..3; begin return; end; --~ error: a function must return a value
function g(): 0..3; begin return p; end; --~ error: the result must be 0..3, not e
procedure h(); begin return 1; end; --~ error: a procedure returns no value
startstate begin return 1; end; --~ error: a rule returns no value
