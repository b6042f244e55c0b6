-- An override must be a value.
-- const: NODE=many

const NODE : 2; --~ error: `many`, given for the constant `NODE`, is not a value
var x: 0..NODE;
startstate begin x := 0; end;
