-- expect: errors
var x : 0 .. 3;
/* this goes on --~ error: this comment is never closed
rule begin end;
