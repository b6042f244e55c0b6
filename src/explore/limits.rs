//! How much a search may use.

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What bounds a search on one rank.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes for the visited store.
    pub store_bytes: u64,
    /// Bytes for the frontier before it goes to disk.
    pub frontier_bytes: u64,
    /// A folder for the frontier's overflow and the log; `None` keeps both in memory.
    pub spool: Option<PathBuf>,
    pub time: Option<Duration>,
    /// Over all ranks.
    pub states: Option<u64>,
    /// Findings over all ranks after which the search ends.
    pub findings: u64,
}

/// The store's and the frontier's shares of a rank's memory; the rest is for batches, buffers and the program.
const STORE_PERCENT: u64 = 75;
const FRONTIER_PERCENT: u64 = 10;
/// More than this is as well on disk, where it is written and read in order, and leaves memory to the store.
const FRONTIER_BYTES_MAX: u64 = 8 << 20;

impl Limits {
    /// Why a search that began then must end, if its time is over.
    pub fn out_of_time(&self, begun: Instant) -> Option<String> {
        let limit = self.time.filter(|&limit| begun.elapsed() > limit)?;
        Some(format!("out of time after {:.0} s", limit.as_secs_f64()))
    }

    /// Limits of a rank that may use `rank_bytes` in all.
    pub fn of_memory(rank_bytes: u64) -> Limits {
        Limits {
            store_bytes: rank_bytes / 100 * STORE_PERCENT,
            frontier_bytes: (rank_bytes / 100 * FRONTIER_PERCENT).min(FRONTIER_BYTES_MAX),
            spool: None,
            time: None,
            states: None,
            findings: 1,
        }
    }
}
