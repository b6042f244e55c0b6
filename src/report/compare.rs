//! Our figures beside published ones, for one run and for several.
//!
//! A published entry has a source and any figures by name; each is shown beside the figure of ours with the same
//! name, or beside a dash where this run has none. Whole numbers are equal or differ; of others, ours is told as a
//! multiple of theirs. `named` is the list of what has a name: a new figure is a line there.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::document::Document;
use super::table::Table;
use crate::base::size;
use crate::verdict::Verdict;

/// A number as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    Whole(u64),
    Real(f64),
}

impl Figure {
    pub fn value(self) -> f64 {
        match self {
            Figure::Whole(n) => n as f64,
            Figure::Real(n) => n,
        }
    }

    /// Two places are enough of what was measured.
    fn rounded(self) -> String {
        match self {
            Figure::Whole(n) => n.to_string(),
            Figure::Real(n) => format!("{n:.2}"),
        }
    }

    /// For the eye: commas, or two places.
    fn shown(self) -> String {
        match self {
            Figure::Whole(n) => size::count(n),
            Figure::Real(n) => format!("{n:.2}"),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Whole(n) => write!(out, "{n}"),
            Figure::Real(n) => write!(out, "{n}"),
        }
    }
}

/// Figures from the literature or an earlier run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    pub source: String,
    pub verdict: Option<String>,
    /// Why the figures may differ.
    pub note: Option<String>,
    pub figures: BTreeMap<String, Figure>,
}

/// A published figure beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub source: String,
    pub figure: String,
    pub published: String,
    /// None where this run has no such figure.
    pub here: Option<String>,
    pub equal: bool,
    /// Ours as a multiple of theirs, for numbers.
    pub ratio: Option<f64>,
    pub note: Option<String>,
}

/// The figures of a run that have a name. Those of a response are of the first instance that was decided.
pub fn named(document: &Document) -> Vec<(&'static str, Figure)> {
    let mut figures = Vec::new();
    if document.proof.is_none() {
        figures.extend([
            ("states", Figure::Whole(document.states)),
            ("rules_fired", Figure::Whole(document.rules_fired)),
            ("deadlocks", Figure::Whole(document.deadlocks)),
        ]);
    }
    figures.extend([
        ("seconds", Figure::Real(document.seconds)),
        ("peak_bytes", Figure::Whole(document.peak_bytes.iter().copied().max().unwrap_or(0))),
    ]);
    figures.extend(document.levels.map(|levels| ("levels", Figure::Whole(levels))));
    if let Some(proof) = &document.proof {
        let last = proof.rounds.last();
        figures.extend([
            ("refinements", Figure::Whole(proof.rounds.len().saturating_sub(1) as u64)),
            ("predicates", Figure::Whole(last.map_or(0, |round| round.predicates))),
            ("bdd_nodes", Figure::Whole(proof.rounds.iter().map(|round| round.nodes).max().unwrap_or(0))),
        ]);
    }
    if let Some(response) = document.responses.first() {
        figures.extend([
            ("claims", Figure::Whole(response.claims)),
            ("pending", Figure::Whole(response.pending)),
            ("targets", Figure::Whole(response.targets)),
            ("rounds", Figure::Whole(response.rounds.len().saturating_sub(1) as u64)),
            ("left", Figure::Whole(response.rounds.last().map_or(0, |round| round.maybe_fair))),
            ("expansions_per_state", Figure::Real(response.expansions_per_state)),
            ("expansions_per_pending", Figure::Real(response.expansions_per_pending)),
        ]);
    }
    figures
}

/// Each published figure beside ours.
pub fn comparisons(published: &[Published], document: &Document) -> Vec<Comparison> {
    let ours = named(document);
    let mut lines = Vec::new();
    for entry in published {
        let line = |figure: &str, published: String, here: Option<String>, ratio: Option<f64>| Comparison {
            source: entry.source.clone(),
            figure: figure.to_string(),
            equal: here.as_ref() == Some(&published),
            published,
            here,
            ratio,
            note: entry.note.clone(),
        };
        if let Some(verdict) = &entry.verdict {
            lines.push(line("verdict", verdict.clone(), Some(word(document.verdict).to_string()), None));
        }
        // In our order; what we do not have comes last.
        let place = |name: &str| ours.iter().position(|(own, _)| *own == name).unwrap_or(usize::MAX);
        let mut figures: Vec<(&String, Figure)> = entry.figures.iter().map(|(name, &n)| (name, n)).collect();
        figures.sort_by_key(|(name, _)| place(name));
        for (name, theirs) in figures {
            let here = ours.iter().find(|(own, _)| own == name).map(|&(_, here)| here);
            let ratio = here.map(|here| here.value() / theirs.value()).filter(|ratio| ratio.is_finite());
            lines.push(line(name, theirs.to_string(), here.map(Figure::rounded), ratio));
        }
    }
    lines
}

/// The comparisons of one run, for people.
pub fn text(lines: &[Comparison]) -> String {
    let mut table = Table::new(["published", "figure", "there", "here", ""]);
    for line in lines {
        let whole = |text: &str| text.parse::<u64>().is_ok();
        let word = match (&line.here, line.ratio) {
            (None, _) => "not measured".to_string(),
            (Some(_), Some(ratio)) if !whole(&line.published) => format!("× {ratio:.2}"),
            _ if line.equal => "equal".to_string(),
            _ => "differs".to_string(),
        };
        let note = line.note.as_ref().map_or(String::new(), |note| format!(" ({note})"));
        table.row([
            line.source.clone(),
            line.figure.replace('_', " "),
            line.published.clone(),
            line.here.clone().unwrap_or_else(|| "–".to_string()),
            format!("{word}{note}"),
        ]);
    }
    table.render()
}

/// One run of several: what it is called, and its result where there is one.
pub struct Line {
    pub name: String,
    pub document: Option<Document>,
}

/// One table of several runs: verdict, time, memory, states, and for each figure that one of them has published,
/// ours and theirs.
pub fn summary(lines: &[Line]) -> String {
    let mut names = vec!["states".to_string()];
    for comparison in lines.iter().flat_map(|line| line.document.iter().flat_map(|d| &d.published)) {
        if comparison.figure != "verdict" && !names.contains(&comparison.figure) {
            names.push(comparison.figure.clone());
        }
    }
    let mut head = vec!["job".to_string(), "verdict".to_string(), "time s".to_string(), "MiB".to_string()];
    for name in &names {
        head.extend([name.replace('_', " "), "there".to_string()]);
    }
    let mut table = Table::new(head);
    for line in lines {
        let mut row = vec![line.name.clone()];
        match &line.document {
            None => row.push("error".to_string()),
            Some(document) => row.extend(cells(document, &names)),
        }
        table.row(row);
    }
    table.render()
}

fn cells(document: &Document, names: &[String]) -> Vec<String> {
    let dash = || "–".to_string();
    let peak = document.peak_bytes.iter().copied().max().unwrap_or(0);
    let mut cells = vec![word(document.verdict).to_string(), format!("{:.1}", document.seconds)];
    cells.push((peak >> 20).to_string());
    let ours = named(document);
    for name in names {
        let here = ours.iter().find(|(own, _)| own == name).map(|(_, figure)| figure.shown());
        let there = document.published.iter().find(|line| line.figure == *name);
        let there = there.map(|line| match line.published.parse() {
            Ok(n) => size::count(n),
            Err(_) => line.published.clone(),
        });
        cells.extend([here.unwrap_or_else(dash), there.unwrap_or_else(dash)]);
    }
    cells
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Unknown => "unknown",
        Verdict::Error => "error",
    }
}
