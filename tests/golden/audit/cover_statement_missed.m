-- So is a cover statement.
-- states: 5
-- fired: 5
-- verdict: violated
-- verdict: cover "five" violated

var x: 0..5;
startstate begin x := 0; end;
rule "up" begin x := (x + 1) % 5; cover "five" x = 5; end;
