-- Fairness of states, where the channel works again and again, and delivers what is sent again and again.
-- deadlock: off
-- verdict: liveness "works" holds
-- verdict: liveness "delivers" holds
-- verdict: liveness "alone" violated
var up, sent, done : boolean;
startstate begin up := false; sent := false; done := false; end;
rule "up" begin up := !up; end;
fair rule "send" !sent & !done ==> begin sent := true; end;
rule "lose" sent ==> begin sent := false; end;
rule "deliver" sent & up ==> begin sent := false; done := true; end;
rule "again" done ==> begin done := false; end;
fair "works" up;
strong fair "delivers" sent -> done;
liveness "works" true LEADSTO up;
liveness "delivers" !done LEADSTO done;
liveness "alone" done LEADSTO !done;
