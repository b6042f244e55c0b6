//! Random rules over a fixed set of variables: whatever they do, or fail to do, both backends agree.
//!
//! Texts are generated typed but careless: undefined values, indices and values outside ranges and divisions by
//! zero are common, so that every way out is taken.

use super::{compare, model_of, run};
use proptest::prelude::*;

const HEAD: &str = "
type I : 0..3; S : scalarset(3); E : enum { p, q, r }; R : record n : I; f : boolean; e : E; end;
var x, y : I; z : -2..5; f, g : boolean; s : S; a : array [I] of I; b : array [S] of R; c : R; k : E;
function pick(v : I; w : boolean) : I; begin if w then return a[v]; end; return v; end;
procedure put1(var t : I; v : I); begin t := v; f := t > 1; end;
";

fn number() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        (-2..6i32).prop_map(|n| if n < 0 { format!("({n})") } else { n.to_string() }),
        Just("x".into()),
        Just("y".into()),
        Just("z".into()),
        Just("i".into()),
        Just("c.n".into()),
        Just("b[j].n".into()),
        Just("b[s].n".into()),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/", "%"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            inner.clone().prop_map(|a| format!("a[{a}]")),
            (inner.clone(), truth_leaf()).prop_map(|(a, t)| format!("pick({a}, {t})")),
            (truth_leaf(), inner.clone(), inner).prop_map(|(t, a, b)| format!("({t} ? {a} : {b})")),
        ]
    })
    .boxed()
}

fn truth_leaf() -> BoxedStrategy<String> {
    prop::sample::select(vec![
        "f",
        "g",
        "b[j].f",
        "b[s].f",
        "c.f",
        "true",
        "k = q",
        "b[j].e != k",
        "s = j",
        "isundefined(y)",
        "x = 1",
        "isundefined(a[x])",
        "c = b[j]",
        "x < y",
    ])
    .prop_map(str::to_string)
    .boxed()
}

fn truth() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        truth_leaf(),
        (number(), prop::sample::select(vec!["<", "<=", "=", "!=", ">", ">="]), number())
            .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) & ({b}))")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("(({a}) | ({b}) | ({c}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) -> ({b}))")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("(forall i : I do {a} end)")),
            inner.clone().prop_map(|a| format!("(exists j : S do {a} end)")),
            inner.prop_map(|a| format!("(exists i := 0 to z do {a} end)")),
        ]
    })
    .boxed()
}

fn statement() -> BoxedStrategy<String> {
    let place = prop::sample::select(vec!["x", "y", "z", "c.n", "b[j].n", "b[s].n", "a[x]", "a[z]", "a[i]"]);
    let leaf = prop_oneof![
        (place, number()).prop_map(|(p, v)| format!("{p} := {v};")),
        truth().prop_map(|t| format!("f := {t};")),
        truth().prop_map(|t| format!("b[j].f := {t};")),
        truth().prop_map(|t| format!("assert {t};")),
        number().prop_map(|v| format!("put1(y, {v});")),
        number().prop_map(|v| format!("put1(a[x], {v});")),
        prop::sample::select(vec![
            "s := j;",
            "k := r;",
            "k := b[j].e;",
            "c := b[j];",
            "b[s] := c;",
            "undefine c;",
            "clear b[j];",
            "undefine a[x];",
            "undefine s;",
            "clear a;",
            "return;",
            "g := !g;",
            "undefine y;",
            "b[j].e := k;",
            "a[i] := y;",
        ])
        .prop_map(str::to_string),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (truth(), inner.clone(), inner.clone())
                .prop_map(|(t, a, b)| format!("if {t} then {a} else {b} end;")),
            inner.clone().prop_map(|a| format!("for j : S do {a} end;")),
            inner.clone().prop_map(|a| format!("for i := x to z do {a} end;")),
            (truth(), inner.clone()).prop_map(|(t, a)| format!("while {t} do {a} end;")),
            inner.clone().prop_map(|a| format!("alias i : y + 0; d : b[j] do {a} d.f := f; end;")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("switch k case p: {a} case q, r: {b} end;")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{a} {b}")),
        ]
    })
    .boxed()
}

fn model() -> impl Strategy<Value = String> {
    let rules = prop::collection::vec((truth(), statement()), 1..5);
    (rules, truth(), statement()).prop_map(|(rules, claim, start)| {
        let mut text = HEAD.to_string();
        text += &format!("ruleset i : I; j : S do startstate clear a; x := i; z := i; f := true; s := j; c.n := 2; k := q; end;
            startstate x := 0; {start} end;\n");
        for (guard, body) in rules {
            text += &format!("rule {guard} ==> begin {body} end;\n");
        }
        text + &format!("invariant {claim}; end;")
    })
}

/// More with `VERIFY_RANDOM_MODELS=1000`.
fn cases() -> u32 {
    std::env::var("VERIFY_RANDOM_MODELS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_models_are_compiled_right(text in model()) {
        let lowered = model_of("random", &text, &[]);
        prop_assert!(lowered.is_ok(), "{text}: {lowered:?}");
        if let Ok(lowered) = lowered {
            run(|| compare(&text, &lowered, 60));
        }
    }
}
