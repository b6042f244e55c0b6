-- `error` ends with its message.
-- reason: cannot happen
-- states: 3
-- fired: 2
-- verdict: violated
-- verdict: fault "error" violated

var x: 0..3;
startstate begin x := 0; end;
rule "up" x < 3 ==> begin x := x + 1; if x = 3 then error "cannot happen"; end; end;
