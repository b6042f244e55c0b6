//! One small model for each feature of the language, and for each way to fail.

use super::{compare, compare_with, model_of, run};
use verify::ir::eval::{Compat, Options};

/// Name, text, and whether all of it is compiled.
const MODELS: &[(&str, &str, bool)] = &[
    (
        "assignments under conditions, and indices known at run time",
        "type I : 0..3; R : record a : 0..2; b : boolean; end;
         var q : array [I] of R; len : 0..4; y : 0..2; seen : array [0..1] of boolean;
         startstate undefine q; len := 0; y := 0; seen[0] := false; seen[1] := false; end;
         ruleset v : 0..2 do rule \"push\" len < 4 ==> begin
           q[len].a := v; q[len].b := v = 1; len := len + 1; end; end;
         rule \"pop\" len > 0 ==> begin
           y := q[0].a;
           for k : I do if k + 1 < len then q[k] := q[k + 1]; end; end;
           undefine q[len - 1]; len := len - 1; end;
         rule \"one or the other\" true ==> begin
           if len > 2 then y := (y + len) % 3; else y := y / 2; seen[y] := true; end; end;
         ruleset i : I do rule \"too large\" len = 4 ==> begin if q[i].b then y := q[i].a + q[0].a; end; end; end;
         rule \"undefined, or not reached\" len < 4 ==> begin if y = 1 then y := q[len].a; end; end;
         rule \"outside, or not reached\" true ==> begin if y = 2 then seen[len] := q[len].b; end; end;",
        true,
    ),
    (
        "the same in a state of many words",
        "type I : 0..59; var q : array [I] of -9..9; at : I; last : -9..9;
         startstate for i : I do q[i] := 0; end; at := 0; last := 0; end;
         rule \"on\" q[at] < 2 ==> begin
           q[at] := q[at] + 1; if q[at] = 2 then at := (at + 7) % 60; last := q[at]; end; end;
         rule \"back\" at > 20 ==> begin if last > 0 then q[at / 2] := 2; else last := 1; end; at := at % 20; end;",
        true,
    ),
    (
        "division by constants",
        "var x : -7..7; y : 0..30;
         startstate x := 0; y := 0; end;
         rule x < 7 ==> begin x := x + 1; end;
         rule x > -7 ==> begin x := x - 1; end;
         rule x / 3 = -2 ==> begin y := (y + 7) % 31; end;
         rule x % 4 = -1 ==> begin y := y / 4; end;
         rule (y + 1) % 31 > 10 ==> begin y := (y + 1) % 31; x := x / 2; end;
         rule y % 8 = 3 ==> begin y := y * 2 % 16; x := x % 5; end;",
        true,
    ),
    (
        "multisets",
        "const N : 2; type P : scalarset(N); M : record kind : 0..2; dest : P; end;
         var net : multiset [3] of M; got : array [P] of 0..5; seen : 0..3;
         startstate for p : P do got[p] := 0; end; seen := 0; end;
         ruleset p : P; k : 0..2 do rule \"send\" multisetcount(i : net, true) < 3 ==> var m : M; begin
           m.kind := k; m.dest := p; multisetadd(m, net); end; end;
         choose i : net do
           rule \"take\" net[i].kind != 2 ==> begin
             if got[net[i].dest] < 5 then got[net[i].dest] := got[net[i].dest] + 1; end;
             multisetremove(i, net); end;
           rule \"change\" net[i].kind = 0 ==> begin net[i].kind := 1; end;
         end;
         rule \"purge\" multisetcount(i : net, net[i].kind = 2) >= 2 ==> begin
           multisetremovepred(i : net, net[i].kind = 2); seen := (seen + 1) % 4; end;
         rule \"overflow\" seen = 3 ==> var m : M; begin m.kind := 1; undefine m.dest; multisetadd(m, net); end;
         invariant \"few\" multisetcount(i : net, net[i].kind = 1) <= 2;
         cover \"full\" multisetcount(i : net, true) = 3;",
        true,
    ),
    (
        "large multiset",
        "type M : record a : 0..3; b : array [0..3] of 0..1; end; var net : multiset [20] of M; n : 0..12;
         startstate n := 0; end;
         ruleset k : 0..3 do rule n < 12 ==> var m : M; begin m.a := k; m.b[k] := 1; multisetadd(m, net); n := n + 1; end; end;
         choose i : net do rule net[i].a > 1 ==> begin multisetremove(i, net); n := n - 1; end; end;",
        true,
    ),
    (
        "multiset of simple values, in an array",
        "var box : array [0..1] of multiset [2] of 0..3; x : 0..4;
         startstate x := 0; end;
         ruleset b : 0..1; v : 0..4 do rule multisetcount(i : box[b], true) < 2 | v = 4 ==> begin multisetadd(v, box[b]); end; end;
         ruleset b : 0..1 do choose i : box[b] do rule x != box[b][i] ==> begin x := box[b][i]; multisetremove(i, box[b]); end; end; end;",
        true,
    ),
    (
        "unions",
        "type A : scalarset(2); B : enum { x, y }; U : union { A, B }; V : union { B, A };
         var u : U; a : A; b : B; n : 0..3;
         startstate undefine u; b := x; n := 0; end;
         ruleset w : U do rule true ==> begin u := w; end; end;
         ruleset w : A do rule isundefined(a) | a != w ==> begin a := w; u := w; end; end;
         rule !isundefined(u) & ismember(u, B) ==> begin b := u; n := (n + 1) % 4; end;
         rule !isundefined(u) ==> begin if n = 3 then a := u; end; end;
         rule u = b ==> begin b := y; end;
         invariant !isundefined(u) & ismember(u, A) -> isundefined(a) | n < 4;",
        true,
    ),
    (
        "subprograms",
        "type I : 0..3; R : record a : I; b : array [I] of I; end;
         var r, s : R; x : I; done : boolean;
         function max(a, b : I) : I; begin if a > b then return a; else return b; end; end;
         function twice(a : I) : I; begin return a + a; end;
         function find(q : R; v : I) : I; begin for i : I do if q.b[i] = v then return i; end; end; return 0; end;
         function late(v : I) : I; begin if v < 3 then return v; end; end;
         procedure bump(var v : I); begin if v < 3 then v := v + 1; end; end;
         function turned(q : R) : R; var t : R; begin t.a := q.b[0]; for i : I do t.b[i] := q.b[3 - i]; end; return t; end;
         function tick(var v : I) : boolean; begin bump(v); return v = 3; end;
         startstate clear r; clear s; x := 0; done := false; end;
         ruleset i : I do
           rule \"bump\" r.b[i] < 3 ==> begin bump(r.b[i]); end;
           rule \"max\" max(i, x) = i ==> begin x := i; end;
           rule \"twice\" x = i ==> begin s.a := twice(x); end;
           rule \"late\" i = 2 ==> begin x := late(x); end;
         end;
         rule \"turn\" r.b[0] != r.b[3] ==> begin r := turned(r); end;
         rule \"swap\" true ==> var t : R; begin t := r; r := s; s := t; end;
         rule \"find\" find(r, x) > 0 ==> begin x := find(r, x); end;
         rule \"tick\" !done ==> begin done := tick(x); end;
         rule \"whole\" r = s ==> begin done := r.b = s.b; end;",
        true,
    ),
    (
        "recursion and impure guards",
        "var x : 0..6; function fact(n : 0..6) : 0..720; begin if n <= 1 then return 1; end; return n * fact(n - 1); end;
         function grow() : boolean; begin if x < 6 then x := x + 1; return true; end; return false; end;
         startstate x := 0; end;
         rule x < 6 ==> begin x := x + 1; end;
         rule \"fact\" fact(x) > 100 ==> begin x := 0; end;
         rule \"grow\" grow() ==> begin end;",
        false,
    ),
    (
        "loops",
        "var a : array [0..9] of 0..9; n, m : 0..9;
         startstate for i := 0 to 9 do a[i] := i; end; n := 0; m := 0; end;
         rule n < 9 ==> begin n := n + 1; end;
         rule true ==> begin for i := 0 to n do if a[i] < 9 then a[i] := a[i] + 1; else return; end; end; end;
         rule true ==> begin for i := n to m by -1 do a[i] := i; end; end;
         rule true ==> var i : 0..9; begin i := 0; while i < n do a[i] := m; i := i + 1; end; end;
         rule n = 7 ==> begin while true do m := 1; end; end;
         rule exists i := 0 to n do a[i] = 9 end ==> begin m := (m + 3) % 10; end;
         rule true ==> begin for i := 0 to 9 by 3 do a[i] := 0; end; for i : 2..1 do n := 0; end; end;",
        true,
    ),
    (
        "long loops",
        "var a : array [0..40] of boolean; n : 0..40;
         startstate for i : 0..40 do a[i] := false; end; n := 0; end;
         ruleset i : 0..40 do rule !a[i] & i <= n ==> begin a[i] := true; if n < 40 then n := n + 1; end; end; end;
         ruleset i : 0..40; j : 0..40 do rule i = n & j + 1 = n & a[j] ==> begin a[j] := false; end; end;
         invariant forall i : 0..40 do a[i] -> i <= n end;
         invariant exists i : 0..40 do !a[i] end | n > 0;
         ruleset i : 0..40 do invariant a[i] -> n < 9; end;",
        true,
    ),
    (
        "switch, alias, conditional",
        "type E : enum { red, green, blue }; var c : array [0..2] of E; n : 0..2;
         startstate clear c; n := 0; end;
         rule true ==> begin switch c[n] case red, green: c[n] := blue; case blue: c[n] := red; else c[n] := green; end; end;
         rule true ==> begin n := n = 2 ? 0 : n + 1; end;
         rule true ==> begin alias d : c[n]; m : n + 0 do n := 0; d := m = 1 ? green : d; end; end;
         ruleset i : 0..2 do alias d : c[i]; k : n * i do rule d != green & k < 3 ==> begin d := green; n := k > 2 ? 2 : k; end; end; end;
         rule true ==> begin switch n case n: undefine c[0]; end; end;",
        true,
    ),
    (
        "priorities, assumptions, covers",
        "var x, y : 0..5;
         startstate x := 0; y := 0; end;
         rule 5 \"low\" x > 3 ==> begin x := 0; end;
         rule \"up\" x < 5 & y < 5 ==> begin x := x + 1; cover x = 3; assume x != 5; end;
         rule 9 \"lowest\" true ==> begin y := (y + 1) % 6; cover y = 7; end;
         rule 5 \"same\" y = 5 ==> begin end;
         assume \"small\" x + y < 9; cover \"both\" x = 4 & y = 4; cover \"never\" x = 5 & y = 1;
         invariant x != 4 | y != 3;",
        true,
    ),
    (
        "faults",
        "type I : 0..3; var x, y, z : I; a : array [I] of I; b : boolean;
         startstate x := 0; y := 0; clear a; undefine a[2]; end;
         startstate x := 4 - x; end;
         rule x < 3 ==> begin x := x + 1; end;
         rule y < 3 ==> begin y := y + 1; end;
         rule \"undefined\" true ==> begin z := a[x]; end;
         rule \"range\" true ==> begin a[y] := x + y; end;
         rule \"index\" a[x + y] = 0 ==> begin a[0] := 1; end;
         rule \"division\" x / y = 1 ==> begin z := x % y; end;
         rule \"assert\" true ==> begin assert x + y < 6 \"sum\"; end;
         rule \"error\" x = 2 & y = 3 ==> begin a[3] := 3; error \"here\"; end;
         rule \"order\" x = 3 & z = 1 ==> begin end;
         rule \"short\" x = 1 | b ==> begin end;
         rule \"implied\" x = 1 -> b ==> begin b := true; end;
         invariant \"late\" x = 3 -> a[y] >= 0; invariant \"undefined\" isundefined(z) | z > 0;",
        true,
    ),
    (
        "numbers",
        "var x : -3..3; y : 0..7; big : -1000000000000..1000000000000;
         startstate x := -3; y := 0; big := 1; end;
         rule x < 3 ==> begin x := x + 1; end;
         rule y < 7 ==> begin y := y + 1; end;
         rule true ==> begin x := -x; end;
         rule true ==> begin y := (y & 5) | (y ^ 2); end;
         rule x / 2 = -1 ==> begin x := x % 2; end;
         rule y % 3 = 2 ==> begin y := y * y / 7; end;
         rule big < 1000 ==> begin big := big * 10 - x; end;
         rule big > 1000 ==> begin big := big * -3; end;
         rule x < y & -x <= y - 1 & ~y < x ==> begin y := 0; end;",
        true,
    ),
    (
        "wide states",
        "var a : array [0..99] of 0..4000000000; n : 0..99;
         startstate n := 0; for i : 0..99 do a[i] := 0; end; end;
         rule n < 99 ==> begin n := n + 1; end;
         rule a[n] < 2 ==> begin a[n] := a[n] + 1; end;
         ruleset i : 0..99 do rule a[i] = 2 ==> begin undefine a[i]; end; end;
         rule !isundefined(a[5]) & a[5] = 1 ==> begin a[5] := 4000000000; end;",
        true,
    ),
    (
        "liveness and fairness",
        "type P : scalarset(3); var at : array [P] of 0..2; turn : P;
         startstate for p : P do at[p] := 0; end; end;
         fair ruleset p : P do rule \"go\" at[p] < 2 ==> begin at[p] := at[p] + 1; end; end;
         ruleset p : P do rule \"take\" at[p] = 2 ==> begin turn := p; at[p] := 0; end;
           liveness \"again\" at[p] = 0; liveness \"served\" at[p] = 2 cangetto turn = p; end;",
        true,
    ),
];

#[test]
fn every_feature_is_compiled_right() {
    run(|| {
        let wrong: Vec<String> = MODELS
            .iter()
            .filter_map(|&(name, text, _)| {
                model_of(name, text, &[]).err().map(|why| format!("{name}: {why}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for &(name, text, whole) in MODELS {
            let model = model_of(name, text, &[]).unwrap_or_else(|why| panic!("{name}: {why}"));
            let (states, fallbacks) = compare(name, &model, 1_500);
            assert!(states > 1, "{name}: {states} states");
            assert_eq!(fallbacks.is_empty(), whole, "{name}: {fallbacks:?}");
        }
    });
}

#[test]
fn limits_and_readings_of_the_language_are_the_evaluators() {
    let strict = Options::default();
    let options = [
        Options { loop_max: 3, ..strict },
        Options { steps_max: 7, ..strict },
        Options { steps_max: 200_010, ..strict },
        Options { call_depth_max: 1, ..strict },
        Options { compat: Compat::Cmurphi, ..strict },
        Options { compat: Compat::Rumur, ..strict },
    ];
    run(|| {
        for &(name, text, _) in MODELS {
            let model = model_of(name, text, &[]).unwrap_or_else(|why| panic!("{name}: {why}"));
            for options in options {
                // Under Rumur's reading, a loop without end only stops at the limit on all steps.
                let steps_max = if options.compat == Compat::Rumur { 2_000 } else { options.steps_max };
                compare_with(Options { steps_max, ..options }, &format!("{name} {options:?}"), &model, 60);
            }
        }
    });
}
