-- A function without effects, used in guards and values.
-- states: 5
-- fired: 5
-- verdict: holds

type t : 0..6;
var x: t;
function next(y: t): t; begin if y = 6 then return 0; else return y + 1; end; end;
startstate begin x := 0; end;
rule "step" next(x) != 5 ==> begin x := next(x); end;
rule "back" next(x) = 5 ==> begin x := next(next(next(x))); end;
