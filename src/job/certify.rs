//! `verify certify`: a certificate file checked against a model, by `audit` alone.
//!
//! In: a model with its constants, and a file that `verify prove --certificate` wrote. Out: the obligations hold, or the
//! first that fails with its component, rule and state, or the limits do not suffice. A file that is no certificate,
//! or one of another model, other constants or another meaning of run-time errors, is refused as the user's error.
//!
//! A file is JSON, or `MAGIC` and then bincode. Nothing is believed that it says: `audit::certificate` takes the sets
//! alone from it, and runs the model's rules with the evaluator.

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use super::check::{Task, eval_options, watcher};
use super::options::Values;
use super::{Exit, Refusal, model};
use crate::audit::certificate::Obligation;
use crate::audit::setwise::{Budget, check_either};
use crate::audit::share::Share;
use crate::host::memory;
use crate::host::signals::Signals;
use crate::ir::{Model, PropertyKind};
use crate::report::certified::{Answer, Certified, Failed, Tried};
use crate::report::document::{Document, tool};
use crate::verdict::certificate::Certificate;
use crate::verdict::figures::CheckedBy;

/// What a certificate in bincode begins with.
const MAGIC: &[u8] = b"verify certificate\n";

/// A certificate as the bytes of its file.
pub fn to_bytes(certificate: &Certificate, json: bool) -> Vec<u8> {
    match json {
        true => serde_json::to_vec(certificate).expect("a certificate is plain data"),
        false => [MAGIC, &crate::base::wire::encode(certificate)].concat(),
    }
}

/// Counts what is read, so that an error has a place.
struct Counting<'a> {
    bytes: &'a [u8],
    read: usize,
}

impl Read for Counting<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = (&self.bytes[self.read..]).read(into)?;
        self.read += count;
        Ok(count)
    }
}

/// The certificate of a file's bytes, or what is wrong and where.
pub fn from_bytes(bytes: &[u8]) -> Result<Certificate, String> {
    let json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if json {
        return serde_json::from_slice(bytes).map_err(|error| {
            // The library ends its messages with the place; ours begin with it.
            let text = error.to_string();
            let told = text.split(" at line ").next().unwrap_or_default();
            format!("{}:{}: error: {told}", error.line(), error.column())
        });
    }
    if !bytes.starts_with(MAGIC) {
        return Err("1:1: error: this is not a certificate: neither JSON nor what verify prove writes".into());
    }
    let mut rest = Counting { bytes, read: MAGIC.len() };
    let config = bincode::config::standard().with_limit::<{ 1 << 30 }>();
    let decoded = bincode::serde::decode_from_std_read(&mut rest, config);
    match decoded {
        Ok(certificate) if rest.read == bytes.len() => Ok(certificate),
        Ok(_) => Err(format!(" byte {}: error: something follows the certificate", rest.read)),
        Err(_) if rest.read == bytes.len() => {
            Err(format!(" byte {}: error: the file ends within the certificate", rest.read))
        }
        Err(error) => Err(format!(" byte {}: error: {error}", rest.read)),
    }
}

/// Checks the certificate in a file against a model.
pub fn run(model_path: &Path, path: &Path, values: &Values) -> Result<Certified, Refusal> {
    let begin = Instant::now();
    let enough = watcher(values.time("time"), &Signals::none());
    let task = Task::of_model(model_path, values)?;
    let (model, warnings) = task.lower()?;
    eprint!("{warnings}");
    let name = model::display_name(path);
    let found = from_bytes(&model::read(path)?).map_err(|why| Refusal::usage(format!("{name}:{why}")))?;
    let views_max = values.number("max-views").expect("it has a default") as usize;
    let bytes = memory::budget(values.size("memory"), 1).rank_bytes;
    let budget = Budget { bytes, stop: &enough };
    let checked = check_either(&model, &found, eval_options(values), views_max, budget, Share::WHOLE)
        .map_err(|refused| *refused.failure);
    let (answer, tried, failed) = match checked {
        Ok(checked) => {
            let tried = Tried {
                by: checked.views.map_or(CheckedBy::Sets, |_| CheckedBy::Enumeration),
                views: checked.views.map(|views| views as u64),
                steps: checked.steps as u64,
                interferences: checked.interferences as u64,
            };
            match unclaimed(&model, &found) {
                None => (Answer::Holds, Some(tried), None),
                Some(open) => (Answer::Unknown, Some(tried), Some(open)),
            }
        }
        Err(failure) if failure.obligation == Obligation::Form => {
            let of = failure.component.map_or(String::new(), |component| format!(" {component}:"));
            return Err(Refusal::usage(format!("{name}: error:{of} {}", failure.detail)));
        }
        Err(failure) => {
            let size = failure.obligation == Obligation::Size;
            let failed = Failed {
                obligation: failure.obligation.name().to_string(),
                component: failure.component,
                rule: failure.rule.map(String::from),
                state: failure.state,
                to: failure.to.map(String::from),
                detail: failure.detail,
            };
            (if size { Answer::Unknown } else { Answer::Refused }, None, Some(failed))
        }
    };
    Ok(Certified {
        version: Document::VERSION,
        tool: tool(),
        model: task.name,
        model_hash: found.model,
        constants: found.constants.into_iter().collect(),
        certificate: name,
        method: found.method,
        compat: found.compat,
        components: found.components.len() as u64,
        exposed: found.auxiliaries.into_iter().map(|auxiliary| auxiliary.name).collect(),
        invariants: found.implied.into_iter().map(|implied| implied.name).collect(),
        verdict: answer,
        failed,
        tried,
        seconds: begin.elapsed().as_secs_f64(),
    })
}

/// An invariant of the model that the certificate says nothing about.
fn unclaimed(model: &Model, certificate: &Certificate) -> Option<Failed> {
    let claimed = |at: usize| certificate.implied.iter().any(|implied| implied.property as usize == at);
    let mut invariants = model.properties.iter().enumerate();
    let (_, open) =
        invariants.find(|(at, property)| property.kind == PropertyKind::Invariant && !claimed(*at))?;
    Some(Failed {
        obligation: Obligation::Implication.name().to_string(),
        component: None,
        rule: None,
        state: None,
        to: None,
        detail: format!("the certificate does not claim invariant {}", open.name),
    })
}

/// How a check of a certificate ends, for the shell.
pub fn exit(answer: Answer) -> Exit {
    match answer {
        Answer::Holds => Exit::Holds,
        Answer::Refused => Exit::Violated,
        Answer::Unknown => Exit::Unknown,
    }
}
