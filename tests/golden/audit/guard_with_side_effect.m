-- What a guard does is part of the step.
-- states: 6
-- fired: 6
-- verdict: holds

var g: 0..5; y: 0..1;
function tick(): boolean; begin g := (g + 1) % 6; return true; end;
startstate begin g := 0; y := 0; end;
rule "tick" tick() ==> begin y := 1 - y; end; --~ warning: the guard changes variables
