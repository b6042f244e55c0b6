-- Copying an undefined simple value is an error.
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "undefined" violated

var x: 0..2; y: 0..2;
startstate begin x := 0; end;
rule "copy" begin x := y; end;
