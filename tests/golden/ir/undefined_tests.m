-- `isundefined` and `ismember` are about simple values.

var x: 0..3; r: record a: 0..1; end; b: boolean;
startstate begin
  b := isundefined(r); --~ error: `isundefined` is about simple values
  b := isundefined(true_thing); --~ error: there is no `true_thing` here
  b := ismember(r, boolean); --~ error: `ismember` is about simple values
  b := ismember(x, record a: 0..1; end); --~ error: the type in `ismember` must be a range
end;
