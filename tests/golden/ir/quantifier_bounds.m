-- Steps that never arrive are refused where they are constant.

var x: 0..9;
startstate begin
  for i := 0 to 3 by 0 do x := 1; end; --~ error: a step of 0 never arrives
  for i := 0 to 3 by -1 do x := 1; end; --~ error: steps of -1 from 0 never arrive at 3
  for i := 3 to 0 by 1 do x := 1; end; --~ error: steps of 1 from 3 never arrive at 0
  for i := true to 3 do x := 1; end; --~ error: both bounds must have the same type
  for i := 0 to 3 by true do x := 1; end; --~ error: the step must be integer, not boolean
  for i : record a: boolean; end do x := 1; end; --~ error: the type of a bound variable must be a range
end;
