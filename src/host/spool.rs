//! A first-in first-out queue of byte blocks on disk: what does not fit in memory.
//!
//! Each block is a file with a checksum in front, removed as soon as it is read, so the room on disk is never
//! more than what waits. One write and one read per block; blocks should be a megabyte or more.

use super::{Disk, HostError};
use crate::base::hash;

const CHECKSUM_BYTES: usize = 16;

/// The queue. What is left in it when it is dropped is removed.
pub struct Spool {
    disk: Box<dyn Disk + Send>,
    /// Numbers of the first block that waits, and of the next one to be written.
    first: u64,
    next: u64,
    bytes: u64,
    bytes_most: u64,
    lengths: std::collections::VecDeque<u64>,
}

impl Spool {
    pub fn new(disk: Box<dyn Disk + Send>) -> Spool {
        Spool { disk, first: 0, next: 0, bytes: 0, bytes_most: 0, lengths: Default::default() }
    }

    /// Adds a block at the end. On an error nothing was added.
    pub fn push(&mut self, block: &[u8]) -> Result<(), HostError> {
        let mut file = Vec::with_capacity(CHECKSUM_BYTES + block.len());
        file.extend_from_slice(&hash::stable(block).to_le_bytes());
        file.extend_from_slice(block);
        self.disk.write(&name(self.next), &file)?;
        self.next += 1;
        self.lengths.push_back(block.len() as u64);
        self.bytes += block.len() as u64;
        self.bytes_most = self.bytes_most.max(self.bytes);
        Ok(())
    }

    /// Takes the first block; `None` when there is none. On an error it stays.
    pub fn pop(&mut self) -> Result<Option<Vec<u8>>, HostError> {
        if self.is_empty() {
            return Ok(None);
        }
        let name = name(self.first);
        let mut file = self.disk.read(&name)?;
        let corrupt = || HostError::Corrupt { path: self.disk.path(&name) };
        let (checksum, block) = file.split_at_checked(CHECKSUM_BYTES).ok_or_else(corrupt)?;
        if hash::stable(block).to_le_bytes() != checksum {
            return Err(corrupt());
        }
        file.drain(..CHECKSUM_BYTES);
        self.disk.remove(&name)?;
        self.first += 1;
        self.bytes -= self.lengths.pop_front().unwrap_or(0);
        Ok(Some(file))
    }

    pub fn is_empty(&self) -> bool {
        self.first == self.next
    }

    pub fn blocks(&self) -> u64 {
        self.next - self.first
    }

    /// Bytes that wait now, and the most that ever did.
    pub fn bytes(&self) -> (u64, u64) {
        (self.bytes, self.bytes_most)
    }
}

fn name(number: u64) -> String {
    format!("block-{number:08}")
}

impl Drop for Spool {
    fn drop(&mut self) {
        for number in self.first..self.next {
            let _ = self.disk.remove(&name(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rank;
    use crate::host::FileDisk;

    #[test]
    fn blocks_come_back_in_order_and_damage_is_seen() {
        let parent = std::env::temp_dir().join(format!("verify-spool-test-{}", std::process::id()));
        let mut spool = Spool::new(Box::new(FileDisk::open(&parent, Rank(0)).unwrap()));
        assert!(spool.pop().unwrap().is_none());
        spool.push(b"one").unwrap();
        spool.push(b"").unwrap();
        spool.push(b"three").unwrap();
        assert_eq!((spool.blocks(), spool.bytes()), (3, (8, 8)));
        assert_eq!(spool.pop().unwrap().unwrap(), b"one");
        assert_eq!(spool.pop().unwrap().unwrap(), b"");
        let path = spool.disk.path(&name(2));
        let mut damaged = std::fs::read(&path).unwrap();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(&path, damaged).unwrap();
        assert!(matches!(spool.pop(), Err(HostError::Corrupt { .. })));
        drop(spool);
        assert_eq!(std::fs::read_dir(&parent).unwrap().count(), 0);
        std::fs::remove_dir_all(parent).unwrap();
    }
}
