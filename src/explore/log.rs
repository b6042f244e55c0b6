//! The log: for each state of this rank, in the order of their numbers, how it was reached and its hash.
//!
//! Append-only, 24 bytes a state, in a file of the spool folder; in memory where there is no folder. It is read in
//! two ways: a record by number, when a trace is rebuilt, and all hashes in order, when the compact store has used up
//! its own bits.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::StateRef;
use crate::compile::InstanceNo;
use crate::host::HostError;

const RECORD_BYTES: usize = 24;
const BUFFER_BYTES: usize = RECORDS_AT_ONCE * RECORD_BYTES;
const RECORDS_AT_ONCE: usize = 1 << 12;

/// How a state was first reached. From a start state's record `parent` is `StateRef::NONE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub parent: StateRef,
    pub step: InstanceNo,
    /// Without the owner's bits, which are the same for many.
    pub hash: u128,
}

const HASH_MASK: u128 = (1 << 96) - 1;

impl Record {
    fn bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&self.parent.word().to_le_bytes());
        bytes[8..12].copy_from_slice(&self.step.0.to_le_bytes());
        bytes[12..].copy_from_slice(&self.hash.to_le_bytes()[..12]);
        bytes
    }

    fn read(bytes: &[u8]) -> Record {
        let mut hash = [0; 16];
        hash[..12].copy_from_slice(&bytes[12..24]);
        Record {
            parent: StateRef::from_word(u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))),
            step: InstanceNo(u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"))),
            hash: u128::from_le_bytes(hash),
        }
    }
}

enum Place {
    Memory(Vec<u8>),
    /// The last records wait in `tail`, which begins at byte `written`.
    File {
        path: PathBuf,
        file: File,
        tail: Vec<u8>,
        written: u64,
    },
}

/// The log of one rank.
pub struct Log {
    place: Place,
    len: u64,
}

impl Log {
    pub fn in_memory() -> Log {
        Log { place: Place::Memory(Vec::new()), len: 0 }
    }

    /// A log in a new file, which is unlinked at once: it is gone when the process is.
    pub fn in_file(path: PathBuf) -> Result<Log, HostError> {
        let open = File::options().read(true).write(true).create_new(true).open(&path);
        let file = open.map_err(|error| HostError::file(&path, "making the log", error))?;
        let _ = std::fs::remove_file(&path);
        let tail = Vec::with_capacity(BUFFER_BYTES);
        Ok(Log { place: Place::File { path, file, tail, written: 0 }, len: 0 })
    }

    /// Records so far.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a record; its number is the length before.
    #[inline]
    pub fn push(&mut self, record: Record) -> Result<(), HostError> {
        let bytes = record.bytes();
        match &mut self.place {
            Place::Memory(log) => log.extend_from_slice(&bytes),
            Place::File { tail, .. } => {
                tail.extend_from_slice(&bytes);
                if tail.len() == BUFFER_BYTES {
                    self.write_tail()?;
                }
            }
        }
        self.len += 1;
        Ok(())
    }

    fn write_tail(&mut self) -> Result<(), HostError> {
        if let Place::File { path, file, tail, written } = &mut self.place {
            let wrote = file.write_all_at(tail, *written);
            wrote.map_err(|error| HostError::file(&*path, "writing the log", error))?;
            *written += tail.len() as u64;
            tail.clear();
        }
        Ok(())
    }

    /// Bytes of memory that the log takes.
    pub fn memory_bytes(&self) -> u64 {
        match &self.place {
            Place::Memory(log) => log.capacity() as u64,
            Place::File { .. } => BUFFER_BYTES as u64,
        }
    }

    /// The record with this number.
    pub fn get(&mut self, number: u64) -> Result<Record, HostError> {
        assert!(number < self.len, "state {number} of {} has no record", self.len);
        let mut bytes = [0; RECORD_BYTES];
        self.read(number, &mut bytes)?;
        Ok(Record::read(&bytes))
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        let begin = first * RECORD_BYTES as u64;
        self.write_tail()?;
        match &mut self.place {
            Place::Memory(log) => bytes.copy_from_slice(&log[begin as usize..begin as usize + bytes.len()]),
            Place::File { path, file, .. } => {
                let read = file.read_exact_at(bytes, begin);
                read.map_err(|error| HostError::file(&*path, "reading the log", error))?;
            }
        }
        Ok(())
    }

    /// The number of the state with this hash; it reads the whole log.
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
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut first = 0;
        while first < self.len {
            let count = (RECORDS_AT_ONCE as u64).min(self.len - first);
            let part = &mut buffer[..count as usize * RECORD_BYTES];
            self.read(first, part)?;
            part.chunks_exact(RECORD_BYTES).for_each(|bytes| take(Record::read(bytes).hash & HASH_MASK));
            first += count;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rank;

    #[test]
    fn records_come_back_from_memory_and_from_a_file() {
        let path = std::env::temp_dir().join(format!("verify-log-test-{}", std::process::id()));
        for mut log in [Log::in_memory(), Log::in_file(path.clone()).unwrap()] {
            let record = |n: u64| Record {
                parent: if n == 0 { StateRef::NONE } else { StateRef::new(Rank(3), n - 1) },
                step: InstanceNo(n as u32 * 7),
                hash: u128::from(n) << 60,
            };
            (0..100_000).for_each(|n| log.push(record(n)).unwrap());
            for n in [0, 1, 43_690, 43_691, 99_999] {
                assert_eq!(log.get(n).unwrap(), record(n));
            }
            let mut next = 0;
            log.each_hash(|hash| {
                assert_eq!(hash, record(next).hash);
                next += 1;
            })
            .unwrap();
            assert_eq!(next, 100_000);
            assert_eq!(log.find(record(77_777).hash).unwrap(), Some(77_777));
            assert_eq!(log.find(1).unwrap(), None);
        }
        assert!(!path.exists(), "the file is unlinked while it is used");
    }
}
