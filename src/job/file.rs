//! Job files: TOML that says what to verify.
//!
//! ```toml
//! title = "German's protocol, 3 caches"
//! model = "../models/german.m"          # relative to the job file
//! command = "check"                     # or "prove"
//! [constants]
//! NODE_NUM = 3
//! [options]                             # as on the command line (docs/options.md)
//! symmetry = "off"
//! [[published]]                         # figures to compare the result with, by name (`report::compare`)
//! source = "thesis, Table 4.1"
//! note = "another model of the protocol"
//! states = 58104
//! expansions_per_pending = 3.48
//! ```
//!
//! Unknown keys, wrong values and wrong types are refused with their line.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::Refusal;
use super::options::{self, Command, Values};
use crate::report::compare::{Figure, Published};
use crate::syntax::nearest;

/// A job as it was written, checked.
#[derive(Clone, Debug, Default)]
pub struct Job {
    pub title: Option<String>,
    /// Prove it instead of searching it.
    pub proving: bool,
    pub model: PathBuf,
    pub constants: Vec<(String, String)>,
    pub values: Values,
    pub published: Vec<Published>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    title: Option<String>,
    command: Option<Spanned<String>>,
    model: Spanned<String>,
    #[serde(default)]
    constants: BTreeMap<String, Spanned<toml::Value>>,
    #[serde(default)]
    options: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
    #[serde(default)]
    published: Vec<Spanned<BTreeMap<String, Spanned<toml::Value>>>>,
}

/// Reads and checks a job file.
pub fn read(path: &Path) -> Result<Job, Refusal> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Refusal::usage(format!("{}: cannot be read: {error}", path.display())))?;
    parse(path, &text)
}

/// Checks a job file's text; `path` is for messages and for the model's folder.
pub fn parse(path: &Path, text: &str) -> Result<Job, Refusal> {
    let raw: Raw = toml::from_str(text)
        .map_err(|error| Refusal::usage(format!("{}: {}", path.display(), error.to_string().trim_end())))?;
    let at = |span: Range<usize>, message: String| Refusal::usage(located(path, text, span, &message));
    let mut job = Job { title: raw.title, ..Job::default() };
    for entry in raw.published {
        job.published.push(published(entry).map_err(|(span, message)| at(span, message))?);
    }
    let command = match &raw.command {
        None => Command::Check,
        Some(word) => match word.get_ref().as_str() {
            "check" => Command::Check,
            "prove" => Command::Prove,
            other => return Err(at(word.span(), format!("'{other}' is not check or prove"))),
        },
    };
    job.proving = command == Command::Prove;
    job.model = path.parent().unwrap_or(Path::new("")).join(raw.model.get_ref());
    for (name, value) in raw.constants {
        let span = value.span();
        match value.into_inner() {
            toml::Value::Integer(n) => job.constants.push((name, n.to_string())),
            toml::Value::Boolean(b) => job.constants.push((name, b.to_string())),
            _ => return Err(at(span, format!("constant {name} must be a whole number or a boolean"))),
        }
    }
    for (name, value) in raw.options {
        let (name_span, span) = (name.span(), value.span());
        let name = name.into_inner();
        let Some(spec) = options::find(&name, Some(command)).filter(|spec| spec.in_job) else {
            return Err(at(name_span, unknown_option(&name, command)));
        };
        let texts = match value.into_inner() {
            toml::Value::Array(values) => values.iter().map(plain_text).collect(),
            value => plain_text(&value).map(|text| vec![text]),
        };
        let texts = texts.ok_or_else(|| at(span.clone(), format!("{name} has a value of a wrong type")))?;
        for text in texts {
            job.values.set(spec, &text).map_err(|why| at(span.clone(), format!("{name}: {why}")))?;
        }
    }
    Ok(job)
}

/// One entry of `published`: a source, perhaps a verdict and a note, and figures.
fn published(
    entry: Spanned<BTreeMap<String, Spanned<toml::Value>>>,
) -> Result<Published, (Range<usize>, String)> {
    let whole = entry.span();
    let mut published = Published::default();
    for (name, value) in entry.into_inner() {
        let span = value.span();
        match (name.as_str(), value.into_inner()) {
            ("source", toml::Value::String(text)) => published.source = text,
            ("verdict", toml::Value::String(text)) => published.verdict = Some(text),
            ("note", toml::Value::String(text)) => published.note = Some(text),
            ("source" | "verdict" | "note", _) => return Err((span, format!("{name} must be a text"))),
            (_, toml::Value::Integer(n)) if n >= 0 => {
                published.figures.insert(name, Figure::Whole(n as u64));
            }
            (_, toml::Value::Float(n)) if n.is_finite() => {
                published.figures.insert(name, Figure::Real(n));
            }
            _ => return Err((span, format!("{name} must be a number: it is a published figure"))),
        }
    }
    if published.source.is_empty() {
        return Err((whole, "published figures need a source".to_string()));
    }
    Ok(published)
}

fn plain_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(n) => Some(n.to_string()),
        toml::Value::Boolean(b) => Some(b.to_string()),
        _ => None,
    }
}

fn unknown_option(name: &str, command: Command) -> String {
    let known: Vec<&str> = options::TABLE
        .iter()
        .filter(|spec| spec.in_job && spec.commands.contains(&command))
        .map(|spec| spec.name)
        .collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("known options: {}", known.join(", ")),
    };
    format!("unknown option '{name}'; {hint}")
}

/// A message with file, line and column, and the source line with the place marked.
fn located(path: &Path, text: &str, span: Range<usize>, message: &str) -> String {
    let before = &text[..span.start.min(text.len())];
    let line_number = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text[line_start..].lines().next().unwrap_or("");
    let column = before[line_start..].chars().count();
    let width =
        text[span.start..span.end.min(line_start + line.len()).max(span.start)].chars().count().max(1);
    let margin = " ".repeat(line_number.to_string().len());
    format!(
        "{}:{line_number}:{}: error: {message}\n{margin} |\n{line_number} | {line}\n{margin} | {}{}",
        path.display(),
        column + 1,
        " ".repeat(column),
        "^".repeat(width)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuse(text: &str) -> String {
        parse(Path::new("jobs/x.toml"), text).unwrap_err().text
    }

    #[test]
    fn a_job_is_read() {
        let job = parse(
            Path::new("jobs/x.toml"),
            "model = '../models/a.m'\n[constants]\nN = 3\nB = true\n[options]\nbatch = 10\ndeadlock = 'off'\n\
             [[published]]\nsource = 'a paper'\nstates = 7\nseconds = 1.5\n",
        )
        .unwrap();
        assert_eq!(job.model, Path::new("jobs/../models/a.m"));
        assert_eq!(job.constants, [("B".into(), "true".into()), ("N".into(), "3".into())]);
        assert_eq!(job.values.number("batch"), Some(10));
        assert_eq!(job.values.choice("deadlock"), "off");
        assert_eq!(job.published[0].source, "a paper");
        assert_eq!(job.published[0].figures["states"], Figure::Whole(7));
        assert_eq!(job.published[0].figures["seconds"], Figure::Real(1.5));
    }

    #[test]
    fn what_is_wrong_is_refused_with_its_line() {
        assert!(refuse("modle = 'a.m'\n").contains("line 1"));
        assert!(refuse("model = 'a.m'\n[publish]\n").contains("unknown field `publish`"));
        assert!(refuse("title = 'x'\n").contains("missing field `model`"));
        let option = refuse("model = 'a.m'\n\n[options]\n  bacth = 3\n");
        assert!(
            option.starts_with("jobs/x.toml:4:3: error: unknown option 'bacth'; did you mean 'batch'?"),
            "{option}"
        );
        assert!(option.contains("4 |   bacth = 3\n  |   ^^^^^"), "{option}");
        assert!(
            refuse("model = 'a.m'\n[options]\nbatch = 0\n").contains(":3:9: error: batch: 0 is too small")
        );
        assert!(refuse("model = 'a.m'\n[options]\njson = 'x'\n").contains("unknown option 'json'"));
        assert!(refuse("model = 'a.m'\n[constants]\nN = 1.5\n").contains("constant N must be"));
        let figure = refuse("model = 'a.m'\n[[published]]\nsource = 'x'\nstates = 'many'\n");
        assert!(figure.contains(":4:10: error: states must be a number"), "{figure}");
        assert!(refuse("model = 'a.m'\n[[published]]\nstates = 3\n").contains("need a source"));
    }
}
