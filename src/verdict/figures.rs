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

/// What one rank counted while witnesses of deadlock freedom were looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreedomCounts {
    states: u64,
    /// By goal: states with P, states with Q, searches begun from a P state without a witness.
    pub claims: Vec<u64>,
    pub targets: Vec<u64>,
    pub searches: Vec<u64>,
    /// Helpful steps of all searches, and those that went to another rank.
    pub steps: u64,
    pub steps_sent: u64,
    pub acknowledgements: u64,
    pub acknowledgements_sent: u64,
    /// States whose successors were worked out a second time.
    pub expanded_again: u64,
    /// Searches that waited for another rank.
    pub waiting_most: u64,
    /// Steps of the longest search, within a rank, to a state with Q or a witness.
    pub longest_path: u64,
}

impl FreedomCounts {
    pub fn new(goals: usize) -> FreedomCounts {
        let zeros = || vec![0; goals];
        FreedomCounts { claims: zeros(), targets: zeros(), searches: zeros(), ..FreedomCounts::default() }
    }

    pub fn states(&self) -> u64 {
        self.states
    }

    /// Counts a new state; the sets have a bit for each goal.
    pub fn see(&mut self, claims: u64, targets: u64) {
        self.states += 1;
        add(&mut self.claims, claims);
        add(&mut self.targets, targets);
    }

    /// Counts searches begun.
    pub fn begin(&mut self, goals: u64) {
        add(&mut self.searches, goals);
    }

    pub fn join(&mut self, other: &FreedomCounts) {
        let lists = [
            (&mut self.claims, &other.claims),
            (&mut self.targets, &other.targets),
            (&mut self.searches, &other.searches),
        ];
        for (mine, theirs) in lists {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self.states += other.states;
        self.steps += other.steps;
        self.steps_sent += other.steps_sent;
        self.acknowledgements += other.acknowledgements;
        self.acknowledgements_sent += other.acknowledgements_sent;
        self.expanded_again += other.expanded_again;
        self.waiting_most += other.waiting_most;
        self.longest_path = self.longest_path.max(other.longest_path);
    }
}

fn add(counts: &mut [u64], mut set: u64) {
    while set != 0 {
        counts[set.trailing_zeros() as usize] += 1;
        set &= set - 1;
    }
}

/// One instance of a deadlock-freedom property.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FreedomLine {
    pub property: String,
    pub params: Vec<(String, String)>,
    pub p_states: u64,
    pub q_states: u64,
    pub searches: u64,
}

/// What the check of deadlock freedom took, over all ranks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FreedomFigures {
    /// How it was decided: `local`, `ptp`, `ost`, or `exact`.
    pub method: String,
    pub properties: Vec<FreedomLine>,
    pub witness_steps: u64,
    pub witness_messages: u64,
    pub acknowledgements: u64,
    pub acknowledgement_messages: u64,
    pub expanded_again: u64,
    pub waiting_most: u64,
    pub longest_path: u64,
}

/// One round of a proof by components: a split invariant with some auxiliary booleans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProofRound {
    /// Auxiliary booleans in use, and those added before this round.
    pub predicates: u64,
    pub added: Vec<String>,
    /// Components whose sets follow from what is shared, and those that were made from another by symmetry; the rest was
    /// computed one by one.
    pub transparent: u64,
    pub copied: u64,
    /// Most nodes in use on a rank.
    pub nodes: u64,
    /// Most turns of a rank over its components.
    pub turns: u64,
    /// Bytes of effects sent, over all ranks.
    pub bytes_sent: u64,
    pub seconds: f64,
    /// Pieces of properties, and components whose rules may fail, that did not follow; the first few of each rank.
    pub open: Vec<String>,
}

/// What a proof by components took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProofFigures {
    pub method: String,
    pub components: u64,
    pub shared_bits: u64,
    pub rounds: Vec<ProofRound>,
    /// Seconds of checking the finished proof anew; none where there is none.
    pub recheck_seconds: Option<f64>,
    /// What symmetry did not apply to, in the last round, where it was asked for.
    pub symmetry_notes: Vec<String>,
    /// How the certificate was checked; none where there is none.
    pub certificate: Option<CertificateCheck>,
}

/// Which check of its certificate a proof rests on, besides that of the engine itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CertificateCheck {
    pub by: CheckedBy,
    /// Why there was no check by `audit`.
    pub reason: Option<String>,
    /// Views that were enumerated.
    pub views: Option<u64>,
    /// Decision nodes of the certificate.
    pub nodes: u64,
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckedBy {
    /// View by view.
    Enumeration,
    /// Set by set, with sets of its own.
    Sets,
    /// Only by the engine that found the proof.
    #[default]
    Engine,
}

impl ProofFigures {
    /// How many components were computed in the last round, why not all, and what symmetry did not apply to.
    pub fn symmetry_note(&self) -> String {
        let (transparent, copied) =
            self.rounds.last().map_or((0, 0), |round| (round.transparent, round.copied));
        let mut note =
            format!("{} of {} components computed", self.components - transparent - copied, self.components);
        for (count, how) in [(copied, "made from these"), (transparent, "transparent")] {
            if count > 0 {
                note += &format!(", {count} {how}");
            }
        }
        self.symmetry_notes.iter().for_each(|each| note += &format!("; {each}"));
        note
    }
}

impl RankFigures {
    pub fn set_digest(&mut self, digest: u128) {
        self.digest = ((digest >> 64) as u64, digest as u64);
    }

    pub fn digest(&self) -> u128 {
        u128::from(self.digest.0) << 64 | u128::from(self.digest.1)
    }
}
