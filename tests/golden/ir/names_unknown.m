-- Unknown names, with what was probably meant.

type colour : enum { red, green };
var shade: colour; --
var other: color; --~ error: there is no type `color` --~ help: did you mean `colour`?
procedure paint(); begin shade := red; end;
startstate begin
  shade := gren; --~ error: there is no `gren` here --~ help: did you mean `green`?
  shad := red; --~ error: there is no `shad` here --~ help: did you mean `shade`?
  pain(); --~ error: there is no function or procedure `pain` --~ help: did you mean `paint`?
  undefine nothing_like_it; --~ error: there is no `nothing_like_it` here
end;
