//! The log: how the states of this rank were reached, in the order of their numbers, and the hashes of those it owns.
//!
//! Records of a few bytes (`records.rs`) and hashes of 12 (`tape.rs`), in files of the spool folder; in memory where there
//! is no folder. A record is read by number, when a trace is rebuilt; all hashes in order, when the compact store has used
//! up its own bits, or by what follows a search. Where nobody will ask for hashes, there are none. Where the owner of a
//! state numbers it, the two go together; where its finder does (`worker/asking.rs`), the record is at the finder and
//! the hash at the owner.

use std::path::PathBuf;

use super::StateRef;
use super::records::Records;
use super::reel::Reel;
use super::tape::Tape;
use crate::compile::InstanceNo;
use crate::host::HostError;

const HASH_BYTES: usize = 12;
const HASH_MASK: u128 = (1 << (8 * HASH_BYTES)) - 1;

/// How a state was first reached. From a start state's record `parent` is `StateRef::NONE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub parent: StateRef,
    pub step: InstanceNo,
}

/// The log of one rank.
pub struct Log {
    records: Records,
    /// None where nobody will ask for them.
    hashes: Option<Tape<HASH_BYTES>>,
}

impl Log {
    pub fn in_memory() -> Log {
        Log::on(Reel::in_memory(), Reel::in_memory())
    }

    pub fn in_files(records: PathBuf, hashes: PathBuf) -> Result<Log, HostError> {
        Ok(Log::on(Reel::in_file(records)?, Reel::in_file(hashes)?))
    }

    fn on(records: Reel, hashes: Reel) -> Log {
        Log { records: Records::new(records), hashes: Some(Tape::new(hashes)) }
    }

    /// The same, not begun yet, without hashes.
    pub fn without_hashes(self) -> Log {
        assert!(self.is_empty(), "a log without hashes has none from the beginning");
        Log { hashes: None, ..self }
    }

    /// Records so far.
    pub fn len(&self) -> u64 {
        self.records.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a record; its number is the length before.
    #[inline]
    pub fn push(&mut self, record: Record) -> Result<(), HostError> {
        self.records.push(record)
    }

    /// Adds the hash of a state that this rank owns, without the owner's bits, where hashes are kept.
    #[inline]
    pub fn push_hash(&mut self, hash: u128) -> Result<(), HostError> {
        let Some(hashes) = &mut self.hashes else { return Ok(()) };
        let bytes = hash.to_le_bytes();
        hashes.push(*bytes.first_chunk().expect("twelve of sixteen bytes"))
    }

    /// Bytes of memory that the log takes.
    pub fn memory_bytes(&self) -> u64 {
        self.records.memory_bytes() + self.hashes.as_ref().map_or(0, Tape::memory_bytes)
    }

    /// The record with this number.
    pub fn get(&self, number: u64) -> Result<Record, HostError> {
        self.records.get(number)
    }

    /// The number of the state with this hash, where its owner numbers it; reads all hashes.
    pub fn find(&mut self, hash: u128) -> Result<Option<u64>, HostError> {
        let (mut number, mut found) = (0, None);
        self.each_hash(|each| {
            if each == hash & HASH_MASK {
                found.get_or_insert(number);
            }
            number += 1;
        })?;
        Ok(found)
    }

    /// Hands every hash (without the owner's bits) to `take`, in order.
    pub fn each_hash(&mut self, mut take: impl FnMut(u128)) -> Result<(), HostError> {
        self.hashes.as_mut().expect("hashes are kept where somebody asks for them").each(|bytes| {
            let low = u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes"));
            let high = u32::from_le_bytes(*bytes.last_chunk().expect("four bytes"));
            take(u128::from(high) << 64 | u128::from(low));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rank;

    #[test]
    fn records_and_hashes_come_back_from_memory_and_from_files() {
        let path = |what| std::env::temp_dir().join(format!("verify-{what}-test-{}", std::process::id()));
        let in_files = Log::in_files(path("steps"), path("hashes")).unwrap();
        for mut log in [Log::in_memory(), in_files] {
            let record = |n: u64| Record {
                parent: if n == 0 { StateRef::NONE } else { StateRef::new(Rank(3), n - 1) },
                step: InstanceNo(n as u32 * 7),
            };
            let hash = |n: u64| u128::from(n) << 60;
            for n in 0..100_000 {
                log.push(record(n)).unwrap();
                log.push_hash(hash(n) | 1 << 100).unwrap();
            }
            for n in [0, 1, 43_690, 43_691, 99_999] {
                assert_eq!(log.get(n).unwrap(), record(n));
            }
            let mut next = 0;
            log.each_hash(|each| {
                assert_eq!(each, hash(next));
                next += 1;
            })
            .unwrap();
            assert_eq!(next, 100_000);
            assert_eq!(log.find(hash(77_777)).unwrap(), Some(77_777));
            assert_eq!(log.find(1).unwrap(), None);
        }
        assert!(
            !path("steps").exists() && !path("hashes").exists(),
            "files are unlinked while they are used"
        );
    }
}
