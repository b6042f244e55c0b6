-- An alias in a statement is bound on entry, whatever its index does later.
-- states: 2
-- fired: 2
-- verdict: holds

var a: array [0..2] of 0..5; i: 0..2; done: boolean;
startstate begin clear a; i := 0; done := false; end;
rule "through alias" !done ==>
begin
  alias x : a[i]; y : i + 1 do
    i := 2;
    x := 5;
    assert "y was worked out before" y = 1;
  end;
  assert "bound before" a[0] = 5 & a[2] = 0;
  done := true;
end;
rule "again" done ==> begin done := false; i := 0; clear a; end;
