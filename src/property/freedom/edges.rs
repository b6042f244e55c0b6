//! The helpful successor of each state, noted when the state is expanded: who owns it, and how to find it there.
//!
//! A record is the owner and 96 bits of the successor's hash, which are those in the owner's log; beside a store of
//! whole states it is the owner and the successor itself. Records stand by the number of the state they lead from, in
//! pieces that never move. Cost: 16 bytes a state (exact: 8 and the state), written in the order of expansion.

use crate::base::{Rank, words};

/// Records of one piece.
const PIECE: usize = 1 << 14;
/// Bits of the hash beside the owner, in a record's first word.
const HIGH: u64 = (1 << 32) - 1;

pub(super) struct Edges {
    exact: bool,
    /// Words of a record.
    each: usize,
    pieces: Vec<Vec<u64>>,
}

/// The owner is one more than its number, so that an empty place is told from a record.
fn first_word(owner: Rank, low: u64) -> u64 {
    (u64::from(owner.0) + 1) << 32 | low
}

#[inline]
fn write(exact: bool, place: &mut [u64], owner: Rank, hash: u128, to: &[u64]) {
    if exact {
        place[0] = first_word(owner, 0);
        place[1..].copy_from_slice(to);
    } else {
        (place[0], place[1]) = (first_word(owner, (hash >> 64) as u64 & HIGH), hash as u64);
    }
}

impl Edges {
    pub fn new(exact: bool, words: usize) -> Edges {
        Edges { exact, each: if exact { words + 1 } else { 2 }, pieces: Vec::new() }
    }

    pub fn exact(&self) -> bool {
        self.exact
    }

    /// Words of a record.
    pub fn each(&self) -> usize {
        self.each
    }

    /// Notes where state `number` leads.
    #[inline]
    pub fn note(&mut self, number: u64, owner: Rank, hash: u128, to: &[u64]) {
        let exact = self.exact;
        write(exact, self.place(number), owner, hash, to);
    }

    /// The same as a record, for another rank.
    pub fn record(&self, owner: Rank, hash: u128, to: &[u64]) -> Vec<u64> {
        let mut record = vec![0; self.each];
        write(self.exact, &mut record, owner, hash, to);
        record
    }

    /// Takes in records of this rank's states that were made elsewhere, each behind the state's number.
    pub fn receive(&mut self, bytes: &[u8]) {
        let mut read = Vec::new();
        words::read(bytes, &mut read);
        for item in read.chunks_exact(1 + self.each) {
            self.place(item[0]).copy_from_slice(&item[1..]);
        }
    }

    fn place(&mut self, number: u64) -> &mut [u64] {
        let (piece, at) = (number as usize / PIECE, number as usize % PIECE);
        while self.pieces.len() <= piece {
            self.pieces.push(vec![0; PIECE * self.each]);
        }
        &mut self.pieces[piece][at * self.each..][..self.each]
    }

    /// Where state `number` leads; none where nothing helpful leads on, or it was not looked at.
    #[inline]
    pub fn get(&self, number: u64) -> Option<(Rank, &[u64])> {
        let (piece, at) = (number as usize / PIECE, number as usize % PIECE);
        let record = &self.pieces.get(piece)?[at * self.each..][..self.each];
        let owner = (record[0] >> 32) as u32;
        (owner != 0).then(|| (Rank(owner - 1), record))
    }

    /// Gives the memory back.
    pub fn forget(&mut self) {
        self.pieces = Vec::new();
    }

    pub fn bytes(&self) -> u64 {
        (self.pieces.len() * PIECE * self.each * 8) as u64
    }
}

/// The hash in a record that is not exact, without the owner's bits.
#[inline]
pub(super) fn hash_of(record: &[u64]) -> u128 {
    u128::from(record[0] & HIGH) << 64 | u128::from(record[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash;

    #[test]
    fn records_come_back_from_any_order() {
        for exact in [false, true] {
            let mut edges = Edges::new(exact, 2);
            for number in (0..3 * PIECE as u64).rev().filter(|number| number % 3 != 0) {
                let to = [number, 0];
                let (owner, hash) = (Rank(number as u32 % 5), hash::words(&to));
                match number % 2 {
                    0 => edges.note(number, owner, hash, &to),
                    _ => {
                        let item = [&[number][..], &edges.record(owner, hash, &to)].concat();
                        edges.receive(&words::bytes(&item));
                    }
                }
            }
            for number in 0..4 * PIECE as u64 {
                let found = edges.get(number);
                assert_eq!(found.is_some(), number < 3 * PIECE as u64 && number % 3 != 0, "{number}");
                let Some((owner, record)) = found else { continue };
                assert_eq!(owner, Rank(number as u32 % 5));
                match exact {
                    true => assert_eq!(record[1..], [number, 0]),
                    false => assert_eq!(hash_of(record), hash::words(&[number, 0]) & (u128::MAX >> 32)),
                }
            }
        }
    }
}
