//! A tape: records of one length, appended one by one and read back from the beginning.
//!
//! Cost: a buffer of records that have not been written yet, and one write for each time it is full.

use super::reel::Reel;
use crate::host::HostError;

/// Records written, or read, at a time.
const AT_ONCE: usize = 1 << 12;

/// Records of `BYTES` bytes.
pub struct Tape<const BYTES: usize> {
    reel: Reel,
    /// The last records.
    tail: Vec<u8>,
}

impl<const BYTES: usize> Tape<BYTES> {
    const BUFFER_BYTES: usize = AT_ONCE * BYTES;

    pub fn new(reel: Reel) -> Self {
        Tape { reel, tail: Vec::with_capacity(Self::BUFFER_BYTES) }
    }

    /// Adds a record.
    #[inline]
    pub fn push(&mut self, record: [u8; BYTES]) -> Result<(), HostError> {
        self.tail.extend_from_slice(&record);
        if self.tail.len() == Self::BUFFER_BYTES {
            self.reel.append(&self.tail)?;
            self.tail.clear();
        }
        Ok(())
    }

    /// Bytes of memory that the tape takes.
    pub fn memory_bytes(&self) -> u64 {
        self.reel.memory_bytes() + Self::BUFFER_BYTES as u64
    }

    /// Hands every record to `take`, in order.
    pub fn each(&mut self, mut take: impl FnMut(&[u8; BYTES])) -> Result<(), HostError> {
        let mut buffer = vec![0; Self::BUFFER_BYTES];
        let mut at = 0;
        while at < self.reel.len() {
            self.reel.read(at, &mut buffer)?;
            buffer.as_chunks().0.iter().for_each(&mut take);
            at += Self::BUFFER_BYTES as u64;
        }
        self.tail.as_chunks().0.iter().for_each(&mut take);
        Ok(())
    }
}
