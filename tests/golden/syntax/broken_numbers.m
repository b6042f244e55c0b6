-- expect: errors
const
  a : 9223372036854775807;
  b : 9223372036854775808; --~ error: this number is larger than 9223372036854775807
  c : 0x8000000000000000; --~ error: this number is larger than 9223372036854775807
  d : 017;
  e : 09; --~ error: a number that begins with 0 is octal, and has no digits 8 and 9
