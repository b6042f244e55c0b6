//! The one JSON document of a run. Its keys are a promise; `version` changes when one of them does.

use std::collections::BTreeMap;

use serde::Serialize;

use super::compare::Comparison;
use crate::verdict::figures::{FreedomFigures, ProofFigures, RankFigures, ResponseFigures};
use crate::verdict::{Check, Verdict};

/// The result of `check` and `run`.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    pub version: u32,
    pub tool: String,
    pub model: String,
    pub title: Option<String>,
    pub constants: BTreeMap<String, String>,
    pub engine: String,
    pub symmetry: String,
    /// Why symmetry was given up, where it was asked for and the model has some; of proofs, what it left to compute.
    pub symmetry_note: Option<String>,
    pub ranks: u32,
    pub verdict: Verdict,
    pub reason: Option<String>,
    pub states: u64,
    pub rules_fired: u64,
    pub deadlocks: u64,
    /// States on the longest of the shortest ways from a start state; where the engine goes level by level.
    pub levels: Option<u64>,
    pub seconds: f64,
    /// Of the visited store, over all ranks.
    pub store_bytes_per_state: Option<f64>,
    /// The most memory each rank had resident.
    pub peak_bytes: Vec<u64>,
    /// A bound on the probability that the search missed a state; 0 when whole states are stored.
    pub omission_bound: f64,
    pub digest: String,
    pub checks: Vec<Check>,
    pub published: Vec<Comparison>,
    /// What each rule did; where the engine counts it.
    pub rules: Vec<RuleLine>,
    /// What each rank did; where the engine is distributed.
    pub rank_figures: Vec<RankFigures>,
    /// The first violation's trace in ITF: a document of its own.
    #[serde(skip)]
    pub itf: Option<String>,
    /// What each response property took; where the engine is distributed.
    pub responses: Vec<ResponseFigures>,
    /// What deadlock freedom took; where there is a CANGETTO property and the engine is distributed.
    pub deadlock_freedom: Option<FreedomFigures>,
    /// What a proof by components took; of `prove` alone.
    pub proof: Option<ProofFigures>,
}

/// One rule's part in a search.
#[derive(Clone, Debug, Serialize)]
pub struct RuleLine {
    pub rule: String,
    pub fired: u64,
    pub new_states: u64,
}

impl Document {
    pub const VERSION: u32 = 1;

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a document is plain data") + "\n"
    }
}

/// The document of a run that could not begin: the same keys that scripts look at first.
pub fn error_json(model: &str, reason: &str) -> String {
    let document = serde_json::json!({
        "version": Document::VERSION,
        "tool": tool(),
        "model": model,
        "verdict": Verdict::Error,
        "reason": reason,
    });
    serde_json::to_string_pretty(&document).expect("plain data") + "\n"
}

/// The name and version that results carry.
pub fn tool() -> String {
    format!("verify {}", env!("CARGO_PKG_VERSION"))
}
