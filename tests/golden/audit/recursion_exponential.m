-- Calls are counted, so that no rule runs for ever.
-- rumur: no, it runs for hours
-- reason: iterations and calls
-- steps-max: 100000
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "step_limit" violated

type t : 0..40;
var x: t;
function f(y: t): t;
begin
  if y = 0 then return 0; end;
  if f(y - 1) = 0 then return f(y - 1); end;
  return 0;
end;
startstate begin x := 40; end;
rule "call" begin x := f(x); end;
