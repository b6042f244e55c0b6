-- A return leaves loops, switches and aliases.
-- states: 6
-- fired: 6
-- verdict: holds

type t : 0..5;
var x: t;
function find(limit: t): t;
begin
  for i : t do
    alias k : i do
      while true do
        if k >= limit then return k; end;
        switch k case 5: return 5; else return find(limit - 1); end;
      end;
    end;
  end;
  error "not reached";
end;
startstate begin x := 0; end;
rule "step" begin x := (find(x) + x + 1) % 6; end;
