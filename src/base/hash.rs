//! The stable hash: the same 128 bits for the same bytes on every rank, machine and build.
//!
//! Slot and fingerprint of a state, and by default its owner, are all cut from this one value, from bits that do not
//! overlap. `fxhash` is for small private maps only: on packed states it sends most of them to few
//! owners.

use xxhash_rust::xxh3::xxh3_128;

use super::words;

/// The stable hash of `bytes`.
#[inline]
pub fn stable(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// The stable hash of a packed state: of its words' bytes, least first.
#[inline]
pub fn words(state: &[u64]) -> u128 {
    stable(&words::bytes(state))
}

/// The owner that a hash names among `ranks`: taken from the top 32 bits, by multiplication, so that
/// every count of ranks gets an even share.
#[inline]
pub fn owner(hash: u128, ranks: u32) -> u32 {
    let top = (hash >> 96) as u64;
    ((top * u64::from(ranks)) >> 32) as u32
}

/// An order-free digest of a set: members are added by their hashes, so any order and any split over
/// ranks gives the same value. Adding a member twice changes it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Digest(pub u128);

impl Digest {
    pub fn add(&mut self, member_hash: u128) {
        self.0 = self.0.wrapping_add(member_hash);
    }

    pub fn merge(&mut self, other: Digest) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_pinned() {
        // A change here would make spool files, checkpoints and digests of old runs unreadable.
        assert_eq!(stable(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
        assert_eq!(format!("{:032x}", stable(b"verify")), "8ef1b2b8e1afcb49257ae960c495e4d8");
    }

    #[test]
    fn owners_of_small_counters_are_even() {
        // Packed states differ in few bits; ownership must be even all the same.
        let ranks = 128;
        let mut load = vec![0u32; ranks as usize];
        for n in 0u64..128_000 {
            load[owner(stable(&n.to_le_bytes()), ranks) as usize] += 1;
        }
        let most = *load.iter().max().unwrap();
        assert!(most < 1150, "most loaded of 128 ranks owns {most} of 1000 expected");
    }

    #[test]
    fn a_digest_does_not_depend_on_order_or_split() {
        let hashes: Vec<u128> = (0u32..10).map(|n| stable(&n.to_le_bytes())).collect();
        let mut whole = Digest::default();
        hashes.iter().for_each(|&h| whole.add(h));
        let (mut left, mut right) = (Digest::default(), Digest::default());
        hashes
            .iter()
            .rev()
            .enumerate()
            .for_each(|(n, &h)| if n % 3 == 0 { left.add(h) } else { right.add(h) });
        left.merge(right);
        assert_eq!(whole, left);
    }
}
