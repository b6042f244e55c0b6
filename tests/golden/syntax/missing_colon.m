-- expect: errors
const
  N = 3; --~ error: expected `:`, found `=`
  M : 2;
var
  x boolean; --~ error: expected `:`, found `boolean`
  y : boolean;
