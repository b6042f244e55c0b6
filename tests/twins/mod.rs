//! Random small models whose components differ by their names alone, and such as only seem to.
//!
//! In: a seed. Out: a text, and whether all members are interchangeable. Names of members are a scalarset or a subrange; they
//! stand in shared and in local variables, in wider types, and as indices of what components share; others' rules and the
//! system's look at them. Variables with the same values that are no names are there to be mistaken for some. Some
//! models favour a member in one place: a rule, a start state, an order of the names.

use std::fmt::Write;
use verify::base::prng::Prng;

pub struct Twins {
    pub text: String,
    pub interchangeable: bool,
}

/// Where one member is favoured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    Rule,
    Start,
    Order,
    System,
}

pub fn random_twins(seed: u64) -> Twins {
    let mut prng = Prng::new(seed);
    let members = 2 + prng.index(2);
    let scalarset = prng.chance(30);
    let flaws = [Flaw::None, Flaw::Rule, Flaw::Start, Flaw::Order, Flaw::System];
    let flaw = if scalarset || prng.chance(60) { Flaw::None } else { flaws[1 + prng.index(4)] };
    let mut text = declarations(members, scalarset);
    text.push_str(&start(&mut prng, flaw));
    let _ = writeln!(text, "ruleset i : PID do");
    for number in 0..3 + prng.index(2) {
        let (guard, actions) = (guard(&mut prng), actions(&mut prng));
        let _ = writeln!(text, "  rule \"r{number}\" {guard} ==> {actions} end;");
    }
    let favour = match flaw {
        Flaw::Rule => "i = 1 & a[i] = 0 ==> y := !y; a[i] := 1;",
        Flaw::Order => "exists j : PID do j < i & t[j] end ==> t[i] := true; y := true;",
        _ => "a[i] = 1 & t[i] ==> t[i] := false;",
    };
    let _ = writeln!(text, "  rule \"special\" {favour} end;\nend;");
    if prng.chance(50) {
        let guard = ["y", "!isundefined(last) & t[last]", "exists i : PID do t[i] end"][prng.index(3)];
        let action = ["x := 0;", "undefine last;", "for i : PID do t[i] := false; end;"][prng.index(3)];
        let _ = writeln!(text, "rule \"system\" {guard} ==> {action} y := false; end;");
    }
    if prng.chance(40) {
        let _ = writeln!(
            text,
            "ruleset i : PID; k : 0..1 do rule \"call\" t[i] & k = 1 ==> last := i; end; end;"
        );
    }
    if flaw == Flaw::System {
        let _ = writeln!(text, "rule \"favour\" !t[1] ==> t[1] := true; end;");
    }
    let claim = ["a[i] = 2 & a[j] = 2 -> y", "t[i] -> !t[j]", "b[i] = 1 -> a[j] != 1"][prng.index(3)];
    let _ =
        writeln!(text, "invariant \"p\" forall i : PID do forall j : PID do i != j -> ({claim}) end end;");
    Twins { text, interchangeable: flaw == Flaw::None }
}

/// `a`, `b` and `peer` are a component's own, unless another's rule looks; `t` is for all; `o` is like a name and is none.
fn declarations(members: usize, scalarset: bool) -> String {
    let (pid, wide) = match scalarset {
        true => (format!("scalarset({members})"), "union { PID, enum { Nobody } }".to_string()),
        false => (format!("1..{members}"), format!("0..{members}")),
    };
    format!(
        "type PID : {pid}; WIDE : {wide};\nvar x : 0..2; y : boolean; last : PID; seen : WIDE; o : 1..{members};\n  \
         a : array [PID] of 0..2; b : array [PID] of 0..1; t : array [PID] of boolean; peer : array [PID] of PID;\n"
    )
}

fn start(prng: &mut Prng, flaw: Flaw) -> String {
    let peer = ["peer[i] := i;", "undefine peer[i];"][prng.index(2)];
    let mut body = format!(
        "x := {}; y := {}; o := 1; undefine seen; for i : PID do a[i] := {}; b[i] := 0; t[i] := false; {peer} end;",
        prng.below(2),
        prng.chance(50),
        prng.below(2)
    );
    if flaw == Flaw::Start {
        body += [" t[2] := true;", " last := 2;", " a[1] := 2;"][prng.index(3)];
    }
    match prng.chance(30) && flaw == Flaw::None {
        true => format!("ruleset p : PID do startstate {body} last := p; end; end;\n"),
        false => format!("startstate undefine last; {body} end;\n"),
    }
}

fn guard(prng: &mut Prng) -> String {
    let v = prng.below(3);
    let own = [format!("a[i] = {v}"), format!("a[i] != {v}"), format!("b[i] = 0 & a[i] != {v}")];
    let seen = match prng.index(9) {
        0 => " & isundefined(last)".to_string(),
        1 => " & !isundefined(last) & last = i".to_string(),
        2 => " & !isundefined(last) & last != i".to_string(),
        3 => " & exists j : PID do j != i & t[j] end".to_string(),
        4 => " & forall j : PID do j = i | !t[j] end".to_string(),
        5 => " & !isundefined(peer[i]) & !t[peer[i]]".to_string(),
        6 => format!(" & x = {v}"),
        _ => String::new(),
    };
    own[prng.index(3)].clone() + &seen
}

fn actions(prng: &mut Prng) -> String {
    let mut actions = String::new();
    for _ in 0..1 + prng.index(3) {
        let v = prng.below(3);
        let action = match prng.index(14) {
            0 | 1 => format!("a[i] := {v};"),
            2 => "a[i] := (a[i] + 1) % 3;".to_string(),
            3 => "last := i;".to_string(),
            4 => "undefine last;".to_string(),
            5 => "seen := i;".to_string(),
            6 => "peer[i] := i;".to_string(),
            7 => "if !isundefined(last) then peer[i] := last; end;".to_string(),
            8 => format!("t[i] := {};", v == 0),
            9 => "y := !y;".to_string(),
            10 => format!("x := {v};"),
            11 => "if !isundefined(peer[i]) then t[peer[i]] := true; end;".to_string(),
            12 => format!("b[i] := {};", v % 2),
            _ if prng.chance(50) => "o := x;".to_string(),
            _ => "o := 2;".to_string(),
        };
        actions.push_str(&action);
        actions.push(' ');
    }
    actions
}
