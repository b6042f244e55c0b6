//! A first-in first-out queue of byte blocks on disk: what does not fit in memory.
//!
//! One file. A block is written where one that was read has been, or else behind all others, so the room on disk is what
//! waited at most, and no file is made or removed for a block: file systems are slow at that. Where a block is, and its
//! checksum, are kept in memory.
//! Cost: one write and one read for a block, without a copy; blocks should be some hundred thousand bytes or more.

use std::collections::VecDeque;

use super::{Disk, HostError};
use crate::base::hash;

/// Rooms begin and end where pages of the system do.
const PAGE_BYTES: u64 = 4096;

/// Where a block may be.
#[derive(Clone, Copy)]
struct Room {
    at: u64,
    bytes: u64,
}

/// A block that waits.
struct Block {
    room: Room,
    len: u64,
    checksum: u128,
}

/// The queue. What is left in it is gone when it is dropped.
pub struct Spool {
    disk: Box<dyn Disk + Send>,
    waiting: VecDeque<Block>,
    /// Of blocks that were read, the last one behind.
    free: Vec<Room>,
    /// Behind all rooms.
    end: u64,
    bytes: u64,
    bytes_most: u64,
}

impl Spool {
    pub fn new(disk: Box<dyn Disk + Send>) -> Spool {
        Spool { disk, waiting: VecDeque::new(), free: Vec::new(), end: 0, bytes: 0, bytes_most: 0 }
    }

    /// Adds a block at the end. On an error nothing was added.
    pub fn push(&mut self, block: &[u8]) -> Result<(), HostError> {
        let len = block.len() as u64;
        // The room that was read last is the likeliest to be in the system's memory.
        let used = self.free.iter().rposition(|room| room.bytes >= len);
        let room = match used {
            Some(at) => self.free[at],
            None => Room { at: self.end, bytes: len.next_multiple_of(PAGE_BYTES) },
        };
        self.disk.write(room.at, block)?;
        match used {
            Some(at) => drop(self.free.remove(at)),
            None => self.end += room.bytes,
        }
        self.waiting.push_back(Block { room, len, checksum: hash::stable(block) });
        self.bytes += len;
        self.bytes_most = self.bytes_most.max(self.bytes);
        Ok(())
    }

    /// Takes the first block, in place of what is in `into`; false when there is none. On an error it stays.
    pub fn pop(&mut self, into: &mut Vec<u8>) -> Result<bool, HostError> {
        let Some(block) = self.waiting.front() else { return Ok(false) };
        into.resize(block.len as usize, 0);
        self.disk.read(block.room.at, into)?;
        if hash::stable(into) != block.checksum {
            return Err(HostError::Corrupt { path: self.disk.path() });
        }
        self.bytes -= block.len;
        self.free.push(block.room);
        self.waiting.pop_front();
        Ok(true)
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn blocks(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Bytes that wait now, and the most that ever did.
    pub fn bytes(&self) -> (u64, u64) {
        (self.bytes, self.bytes_most)
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
        let mut block = Vec::new();
        assert!(!spool.pop(&mut block).unwrap());
        spool.push(b"one").unwrap();
        spool.push(b"").unwrap();
        spool.push(b"three").unwrap();
        assert_eq!((spool.blocks(), spool.bytes()), (3, (8, 8)));
        assert!(spool.pop(&mut block).unwrap());
        assert_eq!(block, b"one");
        assert!(spool.pop(&mut block).unwrap());
        assert_eq!(block, b"");
        let at = spool.waiting[0].room.at;
        spool.disk.write(at + 4, b"E").unwrap();
        assert!(matches!(spool.pop(&mut block), Err(HostError::Corrupt { .. })));
        assert_eq!(spool.blocks(), 1);
        drop(spool);
        assert_eq!(std::fs::read_dir(&parent).unwrap().count(), 0);
        std::fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn the_room_of_blocks_that_were_read_is_used_again() {
        let parent = std::env::temp_dir().join(format!("verify-spool-room-test-{}", std::process::id()));
        let mut spool = Spool::new(Box::new(FileDisk::open(&parent, Rank(0)).unwrap()));
        let mut block = Vec::new();
        let (short, long) = (vec![1; 3_000], vec![2; 9_000]);
        for _ in 0..3 {
            spool.push(&short).unwrap();
            spool.push(&long).unwrap();
        }
        let end = spool.end;
        assert_eq!(end, 3 * (4_096 + 12_288));
        for round in 0..20 {
            let expected = if round % 2 == 0 { &short } else { &long };
            assert!(spool.pop(&mut block).unwrap());
            assert_eq!(&block, expected);
            spool.push(expected).unwrap();
            assert_eq!(spool.end, end, "no more than what waits");
        }
        drop(spool);
        std::fs::remove_dir_all(parent).unwrap();
    }
}
