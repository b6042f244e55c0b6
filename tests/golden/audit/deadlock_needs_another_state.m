-- A rule that moves and moves back within one step is a self-loop.
-- states: 1
-- fired: 1
-- verdict: violated
-- verdict: deadlock "deadlock" violated

var x: 0..2;
startstate begin x := 0; end;
rule "there and back" begin x := 1; x := 0; end;
