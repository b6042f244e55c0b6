//! Whatever the model: lowering it ends without a panic, what is refused is explained, and what is accepted
//! can be printed, classified and searched, and its traces replay.
//!
//! Models come from the golden folders with words swapped, dropped, doubled and exchanged between models,
//! so that many of them still parse. `VERIFY_FUZZ_CASES` raises the number of cases (default 300).

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;
use verify::audit::{self, DeadlockMode, SymmetryMode};
use verify::ir::component::components;
use verify::ir::eval::Compat;
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};

fn cases() -> ProptestConfig {
    let cases = std::env::var("VERIFY_FUZZ_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases.unwrap_or(300)) }
}

/// A text cut into words, numbers, strings and single signs; comments and spaces are dropped.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut rest = line.split("--").next().unwrap_or("").trim_start();
        while let Some(first) = rest.chars().next() {
            let len = match first {
                '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
                c if c.is_alphanumeric() || c == '_' => {
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
                }
                _ => ["==>", ":=", "..", "->", "!=", "<=", ">=", "&&", "||", "<<", ">>"]
                    .iter()
                    .find(|sign| rest.starts_with(**sign))
                    .map_or(first.len_utf8(), |sign| sign.len()),
            };
            words.push(rest[..len].to_string());
            rest = rest[len..].trim_start();
        }
    }
    words
}

fn corpus() -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["tests/golden/audit", "tests/golden/ir", "models"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        texts.extend(paths.iter().filter_map(|path| fs::read_to_string(path).ok()).map(|text| words(&text)));
    }
    texts.retain(|text| !text.is_empty());
    texts
}

#[derive(PartialEq)]
enum Sort {
    Name,
    Number,
    Sign,
}

/// Keywords count as signs: changing them rarely leaves a model.
fn sort(word: &str) -> Sort {
    const KEYWORDS: &str = " const type var rule ruleset startstate invariant begin end if then elsif else \
        switch case for while do alias choose process return clear undefine put error forall exists \
        isundefined array of record enum scalarset union multiset to by function procedure ";
    match word.chars().next() {
        Some(c) if c.is_ascii_digit() => Sort::Number,
        Some(c) if c.is_alphabetic() && !KEYWORDS.contains(&format!(" {} ", word.to_lowercase())) => {
            Sort::Name
        }
        _ => Sort::Sign,
    }
}

/// One change: what to do, and where, as fractions of the lengths.
type Change = (u8, u16, u16, u16);

fn mutate(corpus: &[Vec<String>], model: u16, changes: &[Change]) -> String {
    let pick = |n: u16, len: usize| n as usize * len / (u16::MAX as usize + 1);
    let mut text = corpus[pick(model, corpus.len())].clone();
    for &(kind, a, b, c) in changes {
        if text.is_empty() {
            break;
        }
        let (i, j) = (pick(a, text.len()), pick(b, text.len()));
        match kind % 9 {
            0 => text.swap(i, j),
            1 => drop(text.remove(i)),
            2 => text.insert(i, text[j].clone()),
            3 => text[i] = text[j].clone(),
            4 => {
                let other = &corpus[pick(b, corpus.len())];
                text[i] = other[pick(c, other.len())].clone();
            }
            // A word for a word of the same sort: such texts parse, but mean something else.
            5..=7 => {
                let from =
                    (0..text.len()).map(|k| (i + k) % text.len()).find(|&k| sort(&text[k]) != Sort::Sign);
                let Some(i) = from else { break };
                let same = |&k: &usize| sort(&text[k]) == sort(&text[i]);
                if let Some(j) = (0..text.len()).map(|k| (j + k) % text.len()).find(same) {
                    text[i] = text[j].clone();
                }
            }
            _ => {
                let other = &corpus[pick(b, corpus.len())];
                let from = pick(c, other.len());
                let piece = other[from..(from + 12).min(other.len())].to_vec();
                text.splice(i..i, piece);
            }
        }
    }
    text.join(" ")
}

fn run(text: &str) {
    let source = Source::new("fuzz.m", text);
    let Ok(tree) = parse(&source) else { return };
    let lowered = match lower(&tree, &source, &Constants::none()) {
        Ok(lowered) => lowered,
        Err(said) => {
            assert!(said.has_errors());
            return;
        }
    };
    let model = &lowered.model;
    if model.slots.len() > 2_000 {
        return;
    }
    assert!(!verify::ir::print::print(model).is_empty());
    if model.rules.iter().map(|rule| model.instances(rule)).sum::<u64>() > 2_000 {
        return;
    }
    assert!(!components(model).print(model).is_empty());
    for symmetry in [SymmetryMode::Off, SymmetryMode::Exhaustive] {
        let mut options =
            audit::Options { symmetry, max_states: Some(60), max_errors: 20, ..Default::default() };
        options.eval.steps_max = 2_000;
        options.eval.compat = [Compat::Strict, Compat::Cmurphi, Compat::Rumur][text.len() % 3];
        options.deadlock =
            if model.rules.len().is_multiple_of(2) { DeadlockMode::Stuck } else { DeadlockMode::Stuttering };
        let report = audit::brute(model, &options, &mut |_| ControlFlow::Continue(()));
        for check in &report.checks {
            if let Some(trace) = &check.trace {
                assert_eq!(audit::replay(model, &options, trace), Ok(()), "{}\n{text}", check.name);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn changed_models_do_not_panic(
        model in any::<u16>(),
        changes in prop::collection::vec(any::<Change>(), 0..6),
    ) {
        static CORPUS: std::sync::OnceLock<Vec<Vec<String>>> = std::sync::OnceLock::new();
        run(&mutate(CORPUS.get_or_init(corpus), model, &changes));
    }
}
