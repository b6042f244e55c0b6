//! What each rank can tell of a search: the raw material of reports and scaling studies.

use serde::{Deserialize, Serialize};

/// One rank's figures.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RankFigures {
    pub rank: u32,
    pub machine: String,
    /// States that this rank owns.
    pub states: u64,
    /// States that this rank expanded, its own and borrowed ones.
    pub expanded: u64,
    pub borrowed: u64,
    pub rules_fired: u64,
    /// Successors made here, and those of them that another rank owns.
    pub successors: u64,
    pub successors_remote: u64,
    pub batches_sent: u64,
    pub bytes_sent: u64,
    pub level_most: u32,
    pub frontier_most: u64,
    pub spool_bytes_most: u64,
    pub store_bytes: u64,
    pub store_grown: u32,
    pub omission_bound: f64,
    pub peak_bytes: u64,
    /// The sum of the hashes of this rank's states.
    pub digest: (u64, u64),
    /// By rule: times fired, and new states found by it (at their owner).
    pub fired_by_rule: Vec<u64>,
    pub new_by_rule: Vec<u64>,
    /// What each observer counted.
    pub tallies: Vec<u64>,
    pub covered_properties: Vec<bool>,
    pub covered_statements: Vec<bool>,
}

/// One round of a response check, over all ranks. The first entry is the walk that finds the pending states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// States left after the round that may lie on a fair cycle.
    pub maybe_fair: u64,
    pub deleted: u64,
    pub expansions: u64,
}

/// What the check of one instance of a response property took.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ResponseFigures {
    pub property: String,
    pub params: Vec<(String, String)>,
    /// Reachable states where the claim holds, and where what is asked for does.
    pub claims: u64,
    pub targets: u64,
    /// States where the claim held and what is asked for had not come yet.
    pub pending: u64,
    /// Expansions of this check, for each reachable state, and for each pending one.
    pub expansions_per_state: f64,
    pub expansions_per_pending: f64,
    pub rounds: Vec<Round>,
}

impl RankFigures {
    pub fn set_digest(&mut self, digest: u128) {
        self.digest = ((digest >> 64) as u64, digest as u64);
    }

    pub fn digest(&self) -> u128 {
        u128::from(self.digest.0) << 64 | u128::from(self.digest.1)
    }
}
