-- expect: ok
-- Words that only one dialect reserves, or only the extensions, are names wherever a name can stand.
type
  choose : enum { fair, strong, unhelpful, process, CanGetTo, LeadsTo, unfair, fairness, undefined };
  union : record real, multiset : boolean; end;
var
  assume : array [0 .. 1] of choose;
  cover : union;
  ismember, multisetcount, endchoose, endprocess : boolean;
procedure multisetadd(a : boolean; b : boolean);
begin
end;
startstate
begin
  assume[0] := fair;
  assume[1] := undefined;
  cover.real := ismember & cover.multiset;
  cover.multiset := endchoose | !endprocess;
  multisetadd(ismember, multisetcount);
end;
rule assume[0] = strong ==> begin end;
rule cover = cover ==> begin end;
rule unfair = fair ==> begin end;
liveness "l" endchoose;
function IsMember(a, b : boolean) : boolean;
begin
  return a & b;
end;
procedure Cover(a : boolean);
begin
  Cover(IsMember(a, true));
  cover (a);
end;
