//! What the machine gives: time, disk, memory and signals, each behind a small door.
//!
//! `Clock` and `Disk` are traits, so that the simulator can give time that jumps and disks that fill up.

pub mod clock;
pub mod disk;
pub mod memory;
pub mod release;
pub mod signals;
pub mod spool;

pub use clock::{Clock, WallClock};
pub use disk::{Disk, FileDisk};

use std::path::PathBuf;

/// What can go wrong with the machine: the user's environment, not the user's model.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("{path}: {action} failed: {error}")]
    File { path: PathBuf, action: &'static str, error: std::io::Error },
    #[error("{path}: the disk is full")]
    DiskFull { path: PathBuf },
    #[error("out of memory: the visited store may not grow")]
    MemoryFull,
    #[error("{path}: the block was changed or cut short on disk")]
    Corrupt { path: PathBuf },
    #[error("signals cannot be watched: {0}")]
    Signals(std::io::Error),
}

impl HostError {
    pub fn file(path: impl Into<PathBuf>, action: &'static str, error: std::io::Error) -> HostError {
        let path = path.into();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                HostError::DiskFull { path }
            }
            _ => HostError::File { path, action, error },
        }
    }

    /// Whether more room would have helped: then the answer is *unknown* and not an error.
    pub fn is_out_of_room(&self) -> bool {
        matches!(self, HostError::DiskFull { .. } | HostError::MemoryFull)
    }
}
