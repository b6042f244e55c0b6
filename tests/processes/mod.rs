//! Random small models with components: locals, shared variables, rules of a process, sometimes rules of the system.
//!
//! In: a seed. Out: a text that every engine can read. The models are small enough for explicit sets of views and
//! rich in what proofs by components trip over: undefined values, run-time errors, several start states, arrays that
//! others look into, rules that copy locals to shared places and back, `assume` statements, start-time constants.

use std::fmt::Write;
use std::ops::Range;
use verify::base::prng::Prng;

/// A number from the environment.
fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Which random models to try: more with `VERIFY_SEEDS=1000`, one with `VERIFY_SEED=7`.
pub fn seeds(default: u64) -> Range<u64> {
    match (given("VERIFY_SEED"), given("VERIFY_SEEDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, seeds) => 0..seeds.unwrap_or(default),
    }
}

/// The text of the model with this seed.
pub fn random_model(seed: u64) -> String {
    let mut prng = Prng::new(seed);
    let members = if prng.chance(70) { 2 } else { 3 };
    let mut text = declarations(members);
    text.push_str(&start(&mut prng));
    let _ = writeln!(text, "ruleset i : PID do");
    for number in 0..3 + prng.index(3) {
        let (guard, actions) = (guard(&mut prng), actions(&mut prng));
        let _ = writeln!(text, "  rule \"r{number}\" {guard} ==> {actions} end;");
    }
    let _ = writeln!(text, "end;");
    if prng.chance(25) {
        let guard = ["x = 2", "y", "!y & z = 0"][prng.index(3)];
        let action = ["x := 0;", "z := 1 - z; y := !y;", "z := 1;"][prng.index(3)];
        let _ = writeln!(text, "rule \"system\" {guard} ==> {action} end;");
    }
    for number in 0..1 + prng.index(2) {
        let _ = writeln!(text, "invariant \"p{number}\" {};", claim(&mut prng));
    }
    text
}

/// `a` and `b` are never looked at by others; `t` is, where some rule does; `k` no rule stores to.
fn declarations(members: usize) -> String {
    format!(
        "type PID : 1..{members}; V : 0..2;\nvar x : V; y : boolean; z : 0..1; k : 0..1;\n  a : array [PID] of V; b : array [PID] of boolean; t : array [PID] of 0..1;\n"
    )
}

fn start(prng: &mut Prng) -> String {
    let b = if prng.chance(30) { "undefine b[i];" } else { "b[i] := false;" };
    let body = format!(
        "y := {}; z := 0; k := {}; for i : PID do a[i] := {}; {b} t[i] := 0; end;",
        prng.chance(50),
        prng.below(2),
        ["0", "1", "i % 3"][prng.index(3)]
    );
    if prng.chance(30) {
        format!("ruleset v : 0..1 do startstate x := v; {body} end; end;\n")
    } else {
        format!("startstate x := {}; {body} end;\n", prng.below(2))
    }
}

fn guard(prng: &mut Prng) -> String {
    let v = prng.below(3);
    let own = match prng.index(5) {
        0 => format!("a[i] != {v}"),
        1 => format!("a[i] = {v} & x = a[i]"),
        2 => "a[i] = 0 & b[i]".to_string(),
        _ => format!("a[i] = {v}"),
    };
    let seen = match prng.index(10) {
        0 => " & exists j : PID do t[j] = 1 end".to_string(),
        1 => " & forall j : PID do j = i | t[j] = 0 end".to_string(),
        2 => " & y".to_string(),
        3 => " & !y".to_string(),
        4 => format!(" & x = {}", prng.below(3)),
        5 => " & k = 1".to_string(),
        6 => " & isundefined(b[i])".to_string(),
        _ => String::new(),
    };
    own + &seen
}

fn actions(prng: &mut Prng) -> String {
    let mut actions = String::new();
    for _ in 0..1 + prng.index(3) {
        let v = prng.below(3);
        let action = match prng.index(16) {
            0 | 1 => format!("a[i] := {v};"),
            2 => "a[i] := (a[i] + 1) % 3;".to_string(),
            3 => format!("x := {v};"),
            4 => "x := i % 3;".to_string(),
            5 => "x := a[i];".to_string(),
            6 => "a[i] := x;".to_string(),
            7 => "y := !y;".to_string(),
            8 => format!("y := {};", v == 0),
            9 => "b[i] := y;".to_string(),
            10 => "y := b[i];".to_string(),
            11 => format!("t[i] := {};", v % 2),
            12 => "if x = 2 then a[i] := 0; else x := x + 1; end;".to_string(),
            13 => format!("if b[i] then x := {v}; end;"),
            14 if prng.chance(30) => "x := x + 1;".to_string(),
            14 => "b[i] := true;".to_string(),
            _ if prng.chance(30) => "undefine b[i];".to_string(),
            _ if prng.chance(30) => format!("assume x != {v};"),
            _ => "b[i] := false;".to_string(),
        };
        actions.push_str(&action);
        actions.push(' ');
    }
    actions
}

fn claim(prng: &mut Prng) -> String {
    let (v, w) = (prng.below(3), prng.below(3));
    match prng.index(5) {
        0 => format!("forall i : PID do forall j : PID do i != j -> !(a[i] = {v} & a[j] = {w}) end end"),
        1 => format!("forall i : PID do a[i] = {v} -> x != {w} end"),
        2 => format!("x = {v} -> y"),
        3 => format!("forall i : PID do t[i] = 1 -> a[i] != {v} end & (k = 0 | x != {w})"),
        _ => format!("forall i : PID do forall j : PID do i != j & a[i] = {v} -> a[j] != {v} | y end end"),
    }
}
