-- An override that no constant takes. --~ error: no constant `NODES` to override --~ help: did you mean `NODE`?
-- const: NODES=3

const NODE : 2;
var x: 0..NODE;
startstate begin x := 0; end;
