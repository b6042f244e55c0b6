//! Golden models: one feature each, with directives at their head and expected diagnostics on their lines.
//!
//! `-- word: value` lines before the first other line are directives; an unknown word fails. Diagnostics
//! are foretold on their line as `--~ error: text`, `--~ warning: text` or `--~ help: text`, where the
//! text is part of what is said. Every violation's trace is replayed.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use verify::audit::{self, DeadlockMode, SymmetryMode};
use verify::ir::eval::Compat;
use verify::lower::{Constants, lower};
use verify::syntax::{Diagnostics, Severity, Source, parse};
use verify::verdict::{Report, Verdict};

/// What a golden model asks for and foretells.
#[derive(Default)]
struct Golden {
    constants: Constants,
    options: audit::Options,
    states: Option<u64>,
    fired: Option<u64>,
    deadlocks: Option<u64>,
    /// Lines like `holds` or `invariant "x" violated`.
    verdicts: Vec<String>,
    reasons: Vec<String>,
    trace: Option<usize>,
}

fn models_in(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut models: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    models.retain(|path| path.extension().is_some_and(|extension| extension == "m"));
    models.sort();
    models
}

fn golden(source: &Source) -> Golden {
    let mut golden = Golden::default();
    for line in source.text().lines().take_while(|line| line.starts_with("--")) {
        let text = line.split("--~").next().and_then(|line| line.strip_prefix("-- "));
        let Some((word, value)) = text.and_then(|text| text.split_once(": ")) else { continue };
        directive(&mut golden, word, value.trim()).unwrap_or_else(|| panic!("{}: {line:?}", source.name()));
    }
    golden
}

/// Takes in one directive; none where it is unknown or malformed.
fn directive(golden: &mut Golden, word: &str, value: &str) -> Option<()> {
    match word {
        "const" => golden.constants.parse(value).ok()?,
        "deadlock" => {
            golden.options.deadlock = match value {
                "off" => DeadlockMode::Off,
                "stuck" => DeadlockMode::Stuck,
                "stuttering" => DeadlockMode::Stuttering,
                _ => return None,
            }
        }
        "symmetry" => {
            golden.options.symmetry = match value {
                "off" => SymmetryMode::Off,
                "exhaustive" => SymmetryMode::Exhaustive,
                _ => return None,
            }
        }
        "compat" => {
            golden.options.eval.compat = match value {
                "cmurphi" => Compat::Cmurphi,
                "rumur" => Compat::Rumur,
                _ => return None,
            }
        }
        "max-errors" => golden.options.max_errors = value.parse().ok()?,
        "max-states" => golden.options.max_states = Some(value.parse().ok()?),
        "loop-max" => golden.options.eval.loop_max = value.parse().ok()?,
        "steps-max" => golden.options.eval.steps_max = value.parse().ok()?,
        "states" => golden.states = Some(value.parse().ok()?),
        "fired" => golden.fired = Some(value.parse().ok()?),
        "deadlocks" => golden.deadlocks = Some(value.parse().ok()?),
        "trace" => golden.trace = Some(value.parse().ok()?),
        "verdict" => golden.verdicts.push(value.to_string()),
        "reason" => golden.reasons.push(value.to_string()),
        // For the comparison with Rumur: why it does not apply.
        "rumur" => value.strip_prefix("no, ").map(|_| ())?,
        _ => return None,
    }
    Some(())
}

/// The notes `--~ kind: text` with their lines.
fn notes(source: &Source) -> Vec<(usize, String, String)> {
    let mut notes = Vec::new();
    for (number, line) in source.text().lines().enumerate() {
        for note in line.split("--~ ").skip(1) {
            let (kind, text) = note.split_once(": ").unwrap_or_else(|| panic!("{}: {line:?}", source.name()));
            assert!(["error", "warning", "help"].contains(&kind), "{}: {line:?}", source.name());
            notes.push((number + 1, kind.to_string(), text.trim().to_string()));
        }
    }
    notes
}

/// Everything foretold is said, and nothing else.
fn check_diagnostics(source: &Source, said: &Diagnostics) {
    let notes = notes(source);
    let shown = said.render(source);
    for (line, kind, text) in &notes {
        let found = said.iter().any(|diagnostic| {
            let here = source.place(diagnostic.span.start).line as usize == *line;
            let words = match (kind.as_str(), diagnostic.severity) {
                ("help", _) => diagnostic.help.as_deref().unwrap_or(""),
                ("error", Severity::Error) | ("warning", Severity::Warning) => &diagnostic.message,
                _ => "",
            };
            here && words.contains(text)
        });
        assert!(found, "{}:{line}: {kind} {text:?} is not among\n{shown}", source.name());
    }
    for diagnostic in said.iter() {
        let line = source.place(diagnostic.span.start).line as usize;
        let foretold = notes.iter().any(|(each, _, _)| *each == line);
        assert!(foretold, "{}: not foretold\n{}", source.name(), diagnostic.render(source));
    }
}

fn search(path: &Path) {
    let source = Source::from_bytes(path.display().to_string(), fs::read(path).unwrap()).unwrap();
    let golden = golden(&source);
    let tree = parse(&source).unwrap_or_else(|said| panic!("{}", said.render(&source)));
    let lowered = match lower(&tree, &source, &golden.constants) {
        Err(said) => {
            let wanted = golden.states.is_none() && golden.verdicts.is_empty();
            assert!(wanted, "{}", said.render(&source));
            return check_diagnostics(&source, &said);
        }
        Ok(lowered) => lowered,
    };
    check_diagnostics(&source, &lowered.warnings);
    let errors = notes(&source).iter().filter(|note| note.1 == "error").count();
    assert_eq!(errors, 0, "{}: accepted", source.name());
    assert!(!verify::ir::print::print(&lowered.model).is_empty());
    let report = audit::brute(&lowered.model, &golden.options, &mut |_| ControlFlow::Continue(()));
    check_report(&source, &golden, &report);
    for check in &report.checks {
        if let Some(trace) = &check.trace {
            let replayed = audit::replay(&lowered.model, &golden.options, trace);
            assert_eq!(replayed, Ok(()), "{}: {}", source.name(), check.name);
        }
        if let Some(lasso) = &check.lasso {
            let replayed = audit::replay_lasso(&lowered.model, &golden.options, lasso);
            assert_eq!(replayed, Ok(()), "{}: {}", source.name(), check.name);
        }
    }
}

fn check_report(source: &Source, golden: &Golden, report: &Report) {
    let name = source.name();
    let mut said: Vec<String> = vec![word(report.verdict).to_string()];
    for check in &report.checks {
        let kind = serde_json::to_value(check.kind).unwrap();
        said.push(format!("{} {:?} {}", kind.as_str().unwrap(), check.name, word(check.verdict)));
    }
    assert!(!golden.verdicts.is_empty(), "{name}: no verdict is foretold; found {said:#?}");
    for verdict in &golden.verdicts {
        assert!(said.contains(verdict), "{name}: {verdict} is not among {said:#?}");
    }
    let reasons: Vec<&str> = report.checks.iter().filter_map(|check| check.reason.as_deref()).collect();
    for reason in &golden.reasons {
        assert!(
            reasons.iter().any(|each| each.contains(reason)),
            "{name}: {reason} is not among {reasons:?}"
        );
    }
    let found = &report.counts;
    assert_eq!(golden.states.unwrap_or(found.states), found.states, "{name}: states");
    assert_eq!(golden.fired.unwrap_or(found.rules_fired), found.rules_fired, "{name}: fired");
    assert_eq!(golden.deadlocks.unwrap_or(found.deadlocks), found.deadlocks, "{name}: deadlocks");
    if let Some(steps) = golden.trace {
        let lengths: Vec<usize> = report
            .checks
            .iter()
            .filter_map(|check| check.trace.as_ref())
            .map(|trace| trace.steps.len())
            .collect();
        assert!(lengths.contains(&steps), "{name}: traces of {lengths:?} steps");
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Unknown => "unknown",
        Verdict::Error => "error",
    }
}

#[test]
fn models_are_lowered_as_they_say() {
    let models = models_in("ir");
    assert!(models.len() >= 20);
    models.iter().for_each(|path| search(path));
}

#[test]
fn models_are_searched_as_they_say() {
    let models = models_in("audit");
    assert!(models.len() >= 60);
    models.iter().for_each(|path| search(path));
}

#[test]
fn responses_are_decided_as_they_say() {
    let models = models_in("liveness");
    assert!(models.len() >= 10);
    models.iter().for_each(|path| search(path));
}
