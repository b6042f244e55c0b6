-- expect: errors
type
  a : enum { x y }; --~ error: expected `,` or `}`, found `y`
  b : 0 ..; --~ error: expected an expression, found `;`
  c : array [0 .. 1] boolean; --~ error: expected `of`, found `boolean`
  d : ; --~ error: expected a type, found `;`
  e : 3; --~ error: expected `..` and the upper end of the range, found `;`
  f : record g boolean; h : 0 .. 1; end; --~ error: expected `:`, found `boolean`
  h : scalarset 3; --~ error: expected `(`, found `3`
  i : boolean;
