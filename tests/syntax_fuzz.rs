//! Whatever the text: reading it ends without a panic, what is refused is explained, and what is accepted
//! prints to a text that reads the same and prints to itself.
//!
//! Three sources of texts: words in random order, real models with bytes and words changed, deep nests.
//! `VERIFY_FUZZ_CASES` raises the number of cases of each (default 300).

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use verify::syntax::{Source, parse, print};

fn cases() -> ProptestConfig {
    let cases = std::env::var("VERIFY_FUZZ_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases.unwrap_or(300)) }
}

const WORDS: &[&str] = &[
    "const",
    "type",
    "var",
    "rule",
    "ruleset",
    "startstate",
    "invariant",
    "assert",
    "assume",
    "cover",
    "liveness",
    "function",
    "procedure",
    "begin",
    "end",
    "endif",
    "if",
    "then",
    "elsif",
    "else",
    "switch",
    "case",
    "for",
    "while",
    "do",
    "alias",
    "choose",
    "process",
    "fair",
    "strong",
    "unhelpful",
    "unfair",
    "fairness",
    "cangetto",
    "leadsto",
    "return",
    "clear",
    "undefine",
    "undefined",
    "put",
    "error",
    "forall",
    "exists",
    "isundefined",
    "ismember",
    "multisetadd",
    "multisetremove",
    "multisetremovepred",
    "multisetcount",
    "multiset",
    "union",
    "record",
    "enum",
    "array",
    "of",
    "scalarset",
    "real",
    "boolean",
    "true",
    "false",
    "to",
    "by",
    "a",
    "b",
    "T",
    "f",
    "0",
    "1",
    "0x1F",
    "2.5",
    "\"s\"",
    ";",
    ",",
    ":",
    ":=",
    ".",
    "..",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "?",
    "==>",
    "->",
    "||",
    "&&",
    "|",
    "^",
    "&",
    "!",
    "~",
    "<",
    "<=",
    ">",
    ">=",
    "=",
    "!=",
    "<<",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "-- c\n",
    "/* c */",
    "\n",
    "\n\n",
    "∀",
    "≔",
    "→",
    "“q”",
    "@",
];

/// Small parts that are whole, so that random texts are accepted now and then.
const PARTS: &[&str] = &[
    "a",
    "a[b].c",
    "f(a, b)",
    "(a -> b)",
    "!a = b",
    "- a * b",
    "~a",
    "a ? b : c",
    "forall i : T do a end",
    "exists i := 0 to 3 by 2 do a end",
    "isundefined(a)",
    "ismember(a, T)",
    "multisetcount(i : m, a)",
    "undefined",
    "var x : record a : T; end;",
    "const N : 3;",
    "type T : enum { a, b };",
    "rule a ==> begin x := a; end;",
    "ruleset i : T do",
    "end;",
    "begin",
    "if a then",
    "elsif b then",
    "else",
    "x := a;",
    "f(a);",
    "end",
    "-- note\n",
    "/* note */",
    "invariant \"i\" a;",
    "liveness a LEADSTO b;",
    "fair rule begin end;",
    "strong fair \"s\" a -> b;",
    "process \"P\" i : T do",
    "choose m : s do",
    "alias q : a do",
    "switch a case b :",
    "while a do",
    "for i : T do",
    "assert a \"late\";",
    "put \"x\";",
    "function f(var a : T) : T;",
    "&",
    "|",
    "+",
    "-",
    "\n",
    "\n\n",
];

/// Reads and, if that succeeds, checks the printer's promises.
fn check(text: &str) -> Result<(), TestCaseError> {
    let source = Source::new("fuzz", text);
    let model = match parse(&source) {
        Ok(model) => model,
        Err(diagnostics) => {
            prop_assert!(diagnostics.has_errors());
            prop_assert!(!diagnostics.render(&source).is_empty());
            return Ok(());
        }
    };
    let once = print(&model, &source);
    let printed = Source::new("printed", once.clone());
    let again = match parse(&printed) {
        Ok(again) => again,
        Err(diagnostics) => {
            return Err(TestCaseError::fail(format!(
                "{text}\n---\n{once}\n{}",
                diagnostics.render(&printed)
            )));
        }
    };
    prop_assert!(again.items == model.items, "the tree changed:\n{text}\n---\n{once}");
    prop_assert_eq!(again.comments.len(), model.comments.len(), "comments:\n{}\n---\n{}", text, once);
    let twice = print(&again, &printed);
    let first_change = once.lines().zip(twice.lines()).position(|(a, b)| a != b).unwrap_or(0);
    let part = |text: &str| {
        text.lines().skip(first_change.saturating_sub(5)).take(12).collect::<Vec<_>>().join("\n")
    };
    prop_assert!(twice == once, "not stable:\n--- once\n{}\n--- twice\n{}", part(&once), part(&twice));
    Ok(())
}

const ALL: &[&str] = &["tests/golden/syntax", "models", "models/broken", "models/liveness"];

fn real_models(folders: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "m"));
        paths.sort();
        found.extend(paths.iter().filter_map(|path| fs::read_to_string(path).ok()));
    }
    assert!(!found.is_empty());
    found
}

/// One change to a text at a relative place.
#[derive(Clone, Debug)]
enum Change {
    Byte(u16, u8),
    Cut(u16, u8),
    Twice(u16, u8),
    Word(u16, usize),
    Part(u16, usize),
    Swap(u16, u16),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<u16>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, length)| Change::Cut(at, length)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, length)| Change::Twice(at, length)),
        (any::<u16>(), 0..WORDS.len()).prop_map(|(at, word)| Change::Word(at, word)),
        (any::<u16>(), 0..PARTS.len()).prop_map(|(at, part)| Change::Part(at, part)),
        (any::<u16>(), any::<u16>()).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

/// The place in a text of this length, moved back to the start of a word so that words are changed whole.
fn place(text: &[u8], relative: u16) -> usize {
    let mut at = text.len() * relative as usize / (u16::MAX as usize + 1);
    while at > 0 && !text[at - 1].is_ascii_whitespace() {
        at -= 1;
    }
    at
}

fn word_end(text: &[u8], from: usize) -> usize {
    text[from..].iter().position(u8::is_ascii_whitespace).map_or(text.len(), |length| from + length)
}

fn apply(text: &mut Vec<u8>, change: &Change) {
    match *change {
        Change::Byte(at, byte) => {
            let at = text.len() * at as usize / (u16::MAX as usize + 1);
            if let Some(place) = text.get_mut(at) {
                *place = byte;
            }
        }
        Change::Cut(at, length) => {
            let at = place(text, at);
            let end = (at + length as usize).min(text.len());
            text.drain(at..end);
        }
        Change::Twice(at, length) => {
            let at = place(text, at);
            let piece = text[at..(at + length as usize).min(text.len())].to_vec();
            text.splice(at..at, piece);
        }
        Change::Word(at, word) => {
            let at = place(text, at);
            let end = word_end(text, at);
            text.splice(at..end, WORDS[word].bytes());
        }
        Change::Part(at, part) => {
            let at = place(text, at);
            text.splice(at..at, format!(" {} ", PARTS[part]).into_bytes());
        }
        Change::Swap(a, b) => {
            let (a, b) = (place(text, a), place(text, b));
            let (a, b) = (a.min(b), a.max(b));
            let middle = word_end(text, a).min(b);
            let end = word_end(text, b);
            let moved = [&text[b..end], &text[middle..b], &text[a..middle]].concat();
            text.splice(a..end, moved);
        }
    }
}

fn soup(words: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(0..words.len(), 0..most)
        .prop_map(move |chosen| chosen.iter().map(|&word| words[word]).collect::<Vec<_>>().join(" "))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn words_in_any_order(text in soup(WORDS, 60)) {
        check(&text)?;
    }

    #[test]
    fn parts_in_any_order(text in soup(PARTS, 12)) {
        check(&text)?;
        check(&format!("invariant {text};"))?;
        check(&format!("rule begin {text} end;"))?;
    }

    #[test]
    fn bytes_in_any_order(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(source) = Source::from_bytes("fuzz", bytes) {
            check(source.text())?;
        }
    }

    #[test]
    fn nests_of_any_depth(opener in 0..PARTS.len(), deep in 0usize..3000, tail in soup(WORDS, 10)) {
        check(&format!("rule begin {} {tail}", format!("{} ", PARTS[opener]).repeat(deep)))?;
        check(&format!("invariant {} {tail}", format!("{} ", WORDS[opener]).repeat(deep)))?;
    }
}

/// Comments of both kinds and blank lines between any two words of a model: all are kept and stay put.
#[test]
fn comments_anywhere() {
    // The models of one feature each hold more constructs to a line than any other.
    let mut models = real_models(&ALL[..1]);
    models.retain(|text| parse(&Source::new("m", text.as_str())).is_ok());
    let notes =
        [" /* n */ ", " -- n\n", "\n-- n\n", "\n\n/* n\n  n */\n\n", "\n\n", " /* n */ -- n\n", " ; "];
    let places = prop::collection::vec((any::<u16>(), 0..notes.len()), 1..40);
    let mut runner = proptest::test_runner::TestRunner::new(cases());
    let run = runner.run(&(0..models.len(), places), |(model, places)| {
        let mut text = models[model].clone().into_bytes();
        for (at, note) in places {
            let at = place(&text, at);
            text.splice(at..at, notes[note].bytes());
        }
        check(&String::from_utf8_lossy(&text))
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

#[test]
fn changed_models() {
    let models = real_models(ALL);
    let strategy = (0..models.len(), prop::collection::vec(change(), 1..6));
    let mut runner = proptest::test_runner::TestRunner::new(cases());
    let run = runner.run(&strategy, |(model, changes)| {
        let mut text = models[model].clone().into_bytes();
        changes.iter().for_each(|change| apply(&mut text, change));
        match Source::from_bytes("fuzz", text) {
            Ok(source) => check(source.text()),
            Err(error) => {
                prop_assert!(error.to_string().contains("not valid UTF-8"));
                Ok(())
            }
        }
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}
