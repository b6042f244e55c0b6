-- Enum values in constants, comparisons and loops.
-- states: 6
-- fired: 6
-- verdict: holds

type day : enum { mon, tue, wed };
const FIRST : mon;
var d: day; n: 0..9;
startstate begin d := FIRST; n := 0; end;
rule "next" d != wed ==> begin d := (d = mon ? tue : wed); end;
rule "week" d = wed ==> begin d := FIRST; n := 0; for x := mon to wed do n := n + 1; end; end;
