-- expect: errors
var x : 0 .. 3;
rule begin
  whlie x > 0 do --~ help: did you mean `while`?
    x := x - 1;
  end;
end;
proces "p" i : 0 .. 1 do --~ help: did you mean `process`?
end;
rule begin end;
fucntion f() : boolean; --~ help: did you mean `function`?
