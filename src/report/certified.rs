//! The check of a certificate, for people and as one JSON document.

use std::collections::BTreeMap;

use serde::Serialize;

use super::table::Table;
use crate::base::size;
use crate::verdict::figures::CheckedBy;

/// What the check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Every obligation holds: the invariants hold in every reachable state.
    Holds,
    /// An obligation fails. This says nothing about the model.
    Refused,
    /// There is too much to enumerate, or not every invariant of the model is claimed.
    Unknown,
}

/// The result of `certify`.
#[derive(Clone, Debug, Serialize)]
pub struct Certified {
    pub version: u32,
    pub tool: String,
    pub model: String,
    pub model_hash: String,
    pub constants: BTreeMap<String, String>,
    pub certificate: String,
    pub method: String,
    pub compat: String,
    pub components: u64,
    /// The predicates that every component sees, as the certificate tells them.
    pub exposed: Vec<String>,
    /// What is claimed.
    pub invariants: Vec<String>,
    pub verdict: Answer,
    pub failed: Option<Failed>,
    /// Where no obligation failed.
    pub tried: Option<Tried>,
    pub seconds: f64,
}

/// The first obligation that fails.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    pub obligation: String,
    pub component: Option<String>,
    pub rule: Option<String>,
    pub state: Option<String>,
    pub to: Option<String>,
    pub detail: String,
}

/// How much was tried.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    pub by: CheckedBy,
    /// Where they were enumerated.
    pub views: Option<u64>,
    pub steps: u64,
    pub interferences: u64,
}

impl Certified {
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a document is plain data") + "\n"
    }

    /// The last line: what it all comes to.
    pub fn verdict(&self) -> String {
        match (self.verdict, &self.failed) {
            (Answer::Unknown, Some(failed)) => format!("unknown: {}\n", failed.told()),
            (_, Some(failed)) => format!("REFUSED: {}\n", failed.told()),
            (_, None) => {
                let count = self.invariants.len();
                let plural = if count == 1 { "" } else { "s" };
                format!("holds: {count} invariant{plural} and no run-time errors\n")
            }
        }
    }

    pub fn text(&self) -> String {
        const NAMED_MAX: usize = 6;
        let mut table = Table::new([""; 0]);
        let mut row = |name: &str, value: String| table.row([name.to_string(), value]);
        let constants: Vec<String> =
            self.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        row("model", format!("{}, hash {}", self.model, self.model_hash));
        if !constants.is_empty() {
            row("constants", constants.join(", "));
        }
        row("certificate", format!("{}, made by {}", self.certificate, self.method));
        row("components", size::count(self.components));
        let mut exposed: Vec<String> = self.exposed.iter().take(NAMED_MAX).cloned().collect();
        if self.exposed.len() > NAMED_MAX {
            exposed.push(format!("and {} more", self.exposed.len() - NAMED_MAX));
        }
        if !exposed.is_empty() {
            row("exposed", exposed.join("; "));
        }
        row("claims", self.invariants.join("; "));
        if let Some(tried) = &self.tried {
            let (by, steps) = match tried.by {
                CheckedBy::Enumeration => ("by enumeration", "own steps"),
                _ => ("symbolically", "rule instances"),
            };
            row("checked", by.to_string());
            tried.views.iter().for_each(|&views| row("views", size::count(views)));
            row(steps, size::count(tried.steps));
            row("interferences", size::count(tried.interferences));
        }
        row("time", format!("{:.2} s", self.seconds));
        let mut out = table.render();
        if let Some(failed) = &self.failed {
            let mut lines = Table::new([""; 0]);
            let parts = [("rule", &failed.rule), ("in", &failed.state), ("to", &failed.to)];
            for (word, part) in parts {
                part.iter().for_each(|text| lines.row([format!("  {word}"), text.clone()]));
            }
            out += &format!("\n{}:\n{}", failed.told(), lines.render());
        }
        out + "\n" + &self.verdict()
    }
}

impl Failed {
    fn told(&self) -> String {
        let of = self.component.as_ref().map_or(String::new(), |component| format!(" of {component}"));
        let rule = self.rule.as_ref().map_or(String::new(), |rule| format!("rule {rule} "));
        format!("{}{of}: {rule}{}", self.obligation, self.detail)
    }
}
