//! A tape: records of one length, appended one by one and read back by number or from the beginning.
//!
//! In a file that is unlinked at once, so that it is gone when the process is; or in memory, where there is no folder.
//! Cost: a buffer of records that have not been written yet, and one write for each time it is full.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::host::{FileDisk, HostError};

/// Records written, or read in order, at a time.
const AT_ONCE: usize = 1 << 12;

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

/// Records of `BYTES` bytes.
pub struct Tape<const BYTES: usize> {
    place: Place,
    len: u64,
}

impl<const BYTES: usize> Tape<BYTES> {
    const BUFFER_BYTES: usize = AT_ONCE * BYTES;

    pub fn in_memory() -> Self {
        Tape { place: Place::Memory(Vec::new()), len: 0 }
    }

    pub fn in_file(path: PathBuf) -> Result<Self, HostError> {
        let file = FileDisk::unlinked(&path)?;
        let tail = Vec::with_capacity(Self::BUFFER_BYTES);
        Ok(Tape { place: Place::File { path, file, tail, written: 0 }, len: 0 })
    }

    /// Records so far.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Adds a record; its number is the length before.
    #[inline]
    pub fn push(&mut self, record: [u8; BYTES]) -> Result<(), HostError> {
        match &mut self.place {
            Place::Memory(all) => all.extend_from_slice(&record),
            Place::File { tail, .. } => {
                tail.extend_from_slice(&record);
                if tail.len() == Self::BUFFER_BYTES {
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

    /// Bytes of memory that the tape takes.
    pub fn memory_bytes(&self) -> u64 {
        match &self.place {
            Place::Memory(all) => all.capacity() as u64,
            Place::File { .. } => Self::BUFFER_BYTES as u64,
        }
    }

    /// The record with this number.
    pub fn get(&mut self, number: u64) -> Result<[u8; BYTES], HostError> {
        assert!(number < self.len, "state {number} of {} has no record", self.len);
        let mut record = [0; BYTES];
        self.read(number, &mut record)?;
        Ok(record)
    }

    /// Hands every record to `take`, in order.
    pub fn each(&mut self, mut take: impl FnMut(&[u8; BYTES])) -> Result<(), HostError> {
        let mut buffer = vec![0; Self::BUFFER_BYTES];
        let mut first = 0;
        while first < self.len {
            let count = (AT_ONCE as u64).min(self.len - first);
            let part = &mut buffer[..count as usize * BYTES];
            self.read(first, part)?;
            part.as_chunks().0.iter().for_each(&mut take);
            first += count;
        }
        Ok(())
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        let begin = first * BYTES as u64;
        self.write_tail()?;
        match &mut self.place {
            Place::Memory(all) => bytes.copy_from_slice(&all[begin as usize..begin as usize + bytes.len()]),
            Place::File { path, file, .. } => {
                let read = file.read_exact_at(bytes, begin);
                read.map_err(|error| HostError::file(&*path, "reading the log", error))?;
            }
        }
        Ok(())
    }
}
