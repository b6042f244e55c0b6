-- Fair and unhelpful rules and rulesets run like any others.
-- rumur: no, the words are ours
-- states: 8
-- fired: 16
-- verdict: holds

var x: 0..3; y: 0..1;
startstate begin x := 0; y := 0; end;
fair rule "a" x < 3 ==> begin x := x + 1; end;
strong fair rule "b" x = 3 ==> begin x := 0; end;
unhelpful fair ruleset i : 0..1 do rule "c" y != i ==> begin y := i; end; end;
fair "y again" y = 0;
strong fair "x then y" x = 0 -> y = 1;
