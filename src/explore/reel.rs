//! A reel: bytes that are only ever added at the end, and read at any place.
//!
//! In a file that is unlinked at once, so that it is gone when the process is; or in memory, where there is no folder. Whoever
//! adds has gathered enough for one call of the system's.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::host::{FileDisk, HostError};

pub enum Reel {
    Memory(Vec<u8>),
    File { path: PathBuf, file: File, len: u64 },
}

impl Reel {
    pub fn in_memory() -> Reel {
        Reel::Memory(Vec::new())
    }

    pub fn in_file(path: PathBuf) -> Result<Reel, HostError> {
        let file = FileDisk::unlinked(&path)?;
        Ok(Reel::File { path, file, len: 0 })
    }

    /// Bytes so far.
    pub fn len(&self) -> u64 {
        match self {
            Reel::Memory(all) => all.len() as u64,
            Reel::File { len, .. } => *len,
        }
    }

    pub fn append(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        match self {
            Reel::Memory(all) => all.extend_from_slice(bytes),
            Reel::File { path, file, len } => {
                let wrote = file.write_all_at(bytes, *len);
                wrote.map_err(|error| HostError::file(&*path, "writing the log", error))?;
                *len += bytes.len() as u64;
            }
        }
        Ok(())
    }

    /// Reads as many bytes as there is room for; they were added before.
    pub fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        match self {
            Reel::Memory(all) => bytes.copy_from_slice(&all[at as usize..at as usize + bytes.len()]),
            Reel::File { path, file, .. } => {
                let read = file.read_exact_at(bytes, at);
                read.map_err(|error| HostError::file(path, "reading the log", error))?;
            }
        }
        Ok(())
    }

    /// Bytes of memory that the reel takes.
    pub fn memory_bytes(&self) -> u64 {
        match self {
            Reel::Memory(all) => all.capacity() as u64,
            Reel::File { .. } => 0,
        }
    }
}
