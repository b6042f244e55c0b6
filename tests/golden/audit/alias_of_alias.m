-- Aliases of aliases, of elements and of values, around rules and inside them.
-- states: 9
-- fired: 18
-- verdict: holds

type r : record v: 0..2; w: array [0..1] of 0..2; end;
var a: array [0..1] of r; n: 0..2;
startstate begin clear a; n := 0; end;
ruleset i : 0..1 do
  alias x : a[i] do
    alias y : x.w; z : x.v do
      rule "up" y[i] < 2 & z < 2 ==>
      begin
        alias u : y[i]; k : z + 1 do u := k; z := u; end;
      end;
      rule "reset" z = 2 ==> begin undefine y; clear x; end;
    end;
  end;
end;
