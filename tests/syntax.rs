//! The front half of the front end, from outside: golden models with expected diagnostics on their lines,
//! every construct accepted, and the printer's promises on every model of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use verify::syntax::ast::{Expr, ExprKind, Item, Model, RuleKind, StmtKind};
use verify::syntax::{Source, parse, print};

/// All models below a folder, in order; a folder that is absent holds none.
fn models_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(models_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "m") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn load(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), fs::read(path).unwrap()).unwrap()
}

/// What a golden model says of itself: whether it parses, and on which lines which words are said.
#[derive(Default)]
struct Expected {
    ok: Option<bool>,
    said: Vec<(usize, &'static str, String)>,
}

fn expected(source: &Source) -> Expected {
    let mut expected = Expected::default();
    let head = source.text().lines().take_while(|line| line.starts_with("--"));
    for directive in head.filter_map(|line| line.strip_prefix("-- ")?.split_once(": ")) {
        match directive {
            ("expect", "ok") => expected.ok = Some(true),
            ("expect", "errors") => expected.ok = Some(false),
            other => panic!("{}: unknown directive {other:?}", source.name()),
        }
    }
    for (number, line) in source.text().lines().enumerate() {
        let Some((_, note)) = line.split_once("--~ ") else { continue };
        match note.split_once(": ") {
            Some(("error", text)) => expected.said.push((number + 1, "error", text.to_string())),
            Some(("help", text)) => expected.said.push((number + 1, "help", text.to_string())),
            _ => panic!("{}: unknown note {note:?}", source.name()),
        }
    }
    expected
}

#[test]
fn golden_models_say_what_they_expect() {
    for path in models_below(&root().join("tests/golden/syntax")) {
        let source = load(&path);
        let expected = expected(&source);
        match (parse(&source), expected.ok.expect("a golden model says what to expect")) {
            (Ok(_), ok) => assert!(ok && expected.said.is_empty(), "{} parses", source.name()),
            (Err(diagnostics), true) => panic!("{}", diagnostics.render(&source)),
            (Err(diagnostics), false) => {
                let shown = diagnostics.render(&source);
                for (line, kind, text) in &expected.said {
                    let said = diagnostics.iter().any(|diagnostic| {
                        let here = source.place(diagnostic.span.start).line as usize == *line;
                        let help = diagnostic.help.as_deref().unwrap_or("");
                        here && if *kind == "error" { diagnostic.message == *text } else { help == text }
                    });
                    assert!(said, "{}:{line}: {kind} {text:?} is not among\n{shown}", source.name());
                }
                for diagnostic in diagnostics.iter() {
                    let line = source.place(diagnostic.span.start).line as usize;
                    let foreseen = expected.said.iter().any(|(said, _, _)| *said == line);
                    assert!(foreseen, "not foreseen:\n{}", diagnostic.render(&source));
                }
            }
        }
    }
}

/// Prints, reads again, prints again; the tree, the comments and the text must stay.
fn assert_printing_is_stable(source: &Source, model: &Model) {
    let once = print(model, source);
    let printed = Source::new("printed", once.clone());
    let again = parse(&printed).unwrap_or_else(|d| panic!("{}:\n{}", source.name(), d.render(&printed)));
    assert!(again.items == model.items, "{}: the tree changed", source.name());
    assert_eq!(comments(source, model), comments(&printed, &again), "{}", source.name());
    assert_eq!(print(&again, &printed), once, "{}: not stable", source.name());
    assert!(once.lines().all(|line| !line.ends_with(' ')) || model.comments.iter().any(|c| c.block));
}

fn comments(source: &Source, model: &Model) -> Vec<String> {
    model.comments.iter().map(|comment| source.slice(comment.span).replace("\r\n", "\n")).collect()
}

#[test]
fn printing_is_stable_on_every_model() {
    let root = root();
    let folders = [root.join("tests"), root.join("models")];
    let mut seen = 0;
    for path in folders.iter().flat_map(|folder| models_below(folder)) {
        let source = load(&path);
        if let Ok(model) = parse(&source) {
            assert_printing_is_stable(&source, &model);
            seen += 1;
        }
    }
    assert!(seen > 2);
}

#[test]
fn line_ends_of_other_systems_change_nothing() {
    for path in models_below(&root().join("tests/golden/syntax")) {
        let source = load(&path);
        let other = Source::new("crlf", source.text().replace('\n', "\r\n"));
        match (parse(&source), parse(&other)) {
            (Ok(one), Ok(two)) => {
                assert!(one.items == two.items);
                assert_printing_is_stable(&other, &two);
            }
            (Err(one), Err(two)) => assert_eq!(one.error_count(), two.error_count()),
            _ => panic!("{}", source.name()),
        }
    }
}

/// The value of the one assignment in a model, fully parenthesised.
fn grouped(text: &str) -> String {
    let source = Source::new("m", format!("startstate begin x := {text}; end;"));
    let model = parse(&source).unwrap_or_else(|d| panic!("{}", d.render(&source)));
    let Item::Rule(rule) = &model.items[0] else { panic!() };
    let RuleKind::StartState(start) = &rule.kind else { panic!() };
    let StmtKind::Assign { value, .. } = &start.body[0].kind else { panic!() };
    group(value)
}

fn group(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Designator(designator) => designator.base.text.clone(),
        ExprKind::Int { value, .. } => value.to_string(),
        ExprKind::Unary { op, operand } => format!("({}{})", op.symbol(), group(operand)),
        ExprKind::Binary { op, left, right } => format!("({}{}{})", group(left), op.symbol(), group(right)),
        ExprKind::Chain { first, rest } => rest
            .iter()
            .fold(group(first), |left, link| format!("({left}{}{})", link.op.symbol(), group(&link.operand))),
        ExprKind::Conditional { condition, then, otherwise } => {
            format!("({}?{}:{})", group(condition), group(then), group(otherwise))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_in_the_peers() {
    let table = [
        ("a | b && c", "((a|b)&&c)"),
        ("a & b | c", "((a&b)|c)"),
        ("a | b & c", "(a|(b&c))"),
        ("!x = y & b", "((!(x=y))&b)"),
        ("-x + y * z", "((-x)+(y*z))"),
        ("x << y + z", "(x<<(y+z))"),
        ("x & y = z", "(x&(y=z))"),
        ("~x * y", "((~x)*y)"),
        ("-~x * y", "((-(~x))*y)"),
        ("!~x = y", "(!((~x)=y))"),
        ("~-x * y", "((~(-x))*y)"),
        ("a ∧ b | c", "(a&&(b|c))"),
        ("a ∧ b && c ∨ d", "(((a&&b)&&c)||d)"),
        ("x << y < z", "((x<<y)<z)"),
        ("x ^ y & z", "(x^(y&z))"),
        ("x - -y - z", "((x-(-y))-z)"),
        ("x - (y - z)", "(x-(y-z))"),
        ("a -> b ? c : d", "((a->b)?c:d)"),
        ("a ? b ? c : d : e", "(a?(b?c:d):e)"),
        ("a ? b : c | d", "(a?b:(c|d))"),
        ("a ? b : c ? d : e", "(a?b:(c?d:e))"),
        ("x = y -> !a", "((x=y)->(!a))"),
        ("a * !b + c", "(a*(!(b+c)))"),
    ];
    for (text, expected) in table {
        assert_eq!(grouped(text), expected, "{text}");
    }
}

#[test]
fn parentheses_are_those_that_precedence_needs() {
    let table = [
        ("((a)) | (b & c)", "a | b & c"),
        ("(a | b) & (!c)", "(a | b) & !c"),
        ("a * (!b)", "a * (!b)"),
        ("-(-a)", "-(-a)"),
        ("a - (-b)", "a - -b"),
        ("(a - b) - (c - d)", "a - b - (c - d)"),
        ("!(a = b)", "!a = b"),
        ("(!a) = b", "(!a) = b"),
        ("a ? b : (c ? d : e)", "a ? b : (c ? d : e)"),
        ("(a -> b) -> c", "(a -> b) -> c"),
    ];
    for (text, expected) in table {
        let source = Source::new("m", format!("invariant {text};"));
        let model = parse(&source).unwrap_or_else(|d| panic!("{}", d.render(&source)));
        assert_eq!(print(&model, &source), format!("invariant {expected};\n"), "{text}");
    }
}

#[test]
fn long_expressions_are_broken_at_their_operators() {
    let terms: Vec<String> = (0..20).map(|i| format!("(value_{i} = {i} | other_{i})")).collect();
    let source = Source::new("m", format!("invariant \"long\" {};", terms.join(" & ")));
    let model = parse(&source).unwrap();
    let text = print(&model, &source);
    assert_eq!(text.lines().count(), 21);
    assert!(text.lines().skip(2).all(|line| line.starts_with("  & (value_")));
    assert_printing_is_stable(&source, &model);
}

#[test]
fn long_chains_are_flat_and_deep_nests_are_refused() {
    for operator in ["+", "&", "|", "*", "-", "&&", "^"] {
        let source = Source::new("m", format!("invariant {};", vec!["a"; 100_000].join(operator)));
        let model = parse(&source).unwrap_or_else(|d| panic!("{}", d.render(&source)));
        assert!(model.clone() == model);
        assert_eq!(print(&model, &source).matches('a').count(), 100_002);
    }
    let deep = [
        ("invariant ", "(", "a", ")"),
        ("invariant ", "!", "a", ""),
        ("invariant ", "- ", "a", ""),
        ("invariant ", "a[", "a", "]"),
        ("invariant ", "a ? b : ", "a", ""),
        ("invariant ", "f(", "a", ")"),
        ("invariant ", "forall i : T do ", "a", " end"),
        ("invariant ", "ismember(a, array [0 .. (", "a", ")] of T)"),
        ("type t : ", "array [T] of ", "T", ""),
        ("type t : ", "record a : ", "T", " end"),
        ("type t : ", "union { ", "T", " }"),
        ("rule begin ", "if a then ", "", " end;"),
        ("rule begin ", "if a then else ", "", " end;"),
        ("rule begin ", "for i : T do ", "", " end;"),
        ("rule begin ", "switch a case b : ", "", " end;"),
        ("", "ruleset i : T do ", "", " end;"),
        ("", "alias a : b do ", "", " end;"),
        ("", "choose i : m do ", "", " end;"),
    ];
    for (head, open, middle, close) in deep {
        let nest = |count: usize| format!("{head}{}{middle}{};", open.repeat(count), close.repeat(count));
        let refused = Source::new("m", nest(100_000));
        let diagnostics = parse(&refused).expect_err(open);
        assert_eq!(diagnostics.error_count(), 1, "{open}");
        assert!(diagnostics.render(&refused).contains("nested more than"), "{open}");
        let model_text = nest(60) + if head.starts_with("rule") { " end;" } else { "" };
        let accepted = Source::new("m", model_text);
        let model = parse(&accepted).unwrap_or_else(|d| panic!("{}", d.render(&accepted)));
        assert_printing_is_stable(&accepted, &model);
    }
}

#[test]
fn bytes_that_are_not_text_are_located() {
    let error = Source::from_bytes("m", b"var x : \xff\0;".to_vec()).unwrap_err();
    assert_eq!(error.to_string(), "line 1, byte 9: the text is not valid UTF-8 (byte 0xFF)");
    let latin = Source::from_bytes("m", b"-- caf\xe9\nvar x : boolean;".to_vec()).unwrap();
    assert!(latin.text().starts_with("-- café\n") && parse(&latin).is_ok());
}

#[test]
fn hopeless_texts_are_capped() {
    let source = Source::new("m", "@ x ".repeat(10_000));
    let diagnostics = parse(&source).unwrap_err();
    let shown = diagnostics.render(&source);
    assert!(shown.lines().count() < 200 && shown.contains("\nand "), "{shown}");
}

#[test]
fn examples_of_the_documentation_parse() {
    let text = fs::read_to_string(root().join("docs/language.md")).unwrap();
    let blocks: Vec<(&str, &str)> = text
        .split("```murphi")
        .skip(1)
        .map(|block| block.split_once('\n').unwrap())
        .map(|(kind, rest)| (kind.trim(), rest.split("```").next().unwrap()))
        .collect();
    assert!(blocks.len() > 6);
    for (kind, block) in blocks {
        let model = match kind {
            "statements" => format!("rule begin\n{block}end;"),
            "expressions" => block.lines().map(|line| format!("invariant {line};\n")).collect(),
            _ => block.to_string(),
        };
        let source = Source::new("docs/language.md", model);
        let model = parse(&source).unwrap_or_else(|d| panic!("{}", d.render(&source)));
        assert_printing_is_stable(&source, &model);
    }
}
