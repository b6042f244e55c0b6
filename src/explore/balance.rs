//! Light-weight load balancing: who gets some of my states to expand?
//!
//! Ranks hear each other's queue lengths with every batch. A rank whose queue is `factor` times longer than a peer's
//! lends it states; the peer expands them, and their owner stays their owner (thesis, 3.3, with its factor of 5). The
//! aim is that no rank is idle, not that queues are equal, so short queues lend nothing.

use crate::base::Rank;

/// Queues shorter than this are not worth a message.
const LEND_LENGTH_MIN: u64 = 64;
/// Most states of one loan.
const LOAN_MAX: u64 = 1_000;

/// The decision; one for each rank.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    /// 0 turns it off.
    pub factor: u32,
}

impl Balance {
    /// The peer to lend to and how many states; `None` when nobody is that much shorter.
    pub fn loan(&self, me: Rank, mine: u64, peers: &[u32]) -> Option<(Rank, u64)> {
        if self.factor == 0 || mine < LEND_LENGTH_MIN {
            return None;
        }
        let others = || peers.iter().enumerate().filter(|(rank, _)| *rank != me.index());
        let (rank, &theirs) = others().min_by_key(|(_, load)| **load)?;
        let shorter = u64::from(theirs).saturating_mul(u64::from(self.factor)) < mine;
        // A quarter of the difference leaves both with enough, even if others lend to the same peer.
        let count = ((mine - u64::from(theirs).min(mine)) / 4).clamp(1, LOAN_MAX);
        shorter.then_some((Rank(rank as u32), count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_much_shorter_queues_get_loans() {
        let balance = Balance { factor: 5 };
        assert_eq!(balance.loan(Rank(0), 1_000, &[0, 300, 900]), None);
        assert_eq!(balance.loan(Rank(0), 1_000, &[0, 100, 900]), Some((Rank(1), 225)));
        assert_eq!(balance.loan(Rank(1), 1_000_000, &[0, 0]), Some((Rank(0), LOAN_MAX)));
        assert_eq!(balance.loan(Rank(0), 20, &[0, 0]), None);
        assert_eq!(Balance { factor: 0 }.loan(Rank(0), 1_000, &[0, 0]), None);
        assert_eq!(balance.loan(Rank(0), 1_000, &[0]), None);
    }
}
