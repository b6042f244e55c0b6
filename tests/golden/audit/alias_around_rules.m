-- An alias around rules stands for the place of each instance.
-- states: 64
-- fired: 192
-- verdict: holds

type t : 0..2;
var a: array [t] of record n: 0..2; on: boolean; end;
startstate begin for i : t do a[i].n := 0; a[i].on := false; end; end;
ruleset i : t do
  alias r : a[i]; n : a[i].n do
    rule "on" !r.on ==> begin r.on := true; end;
    rule "count" r.on & n < 2 ==> begin n := n + 1; end;
    rule "off" r.on & n = 2 ==> begin r.on := false; n := 0; end;
  end;
end;
