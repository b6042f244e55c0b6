//! Newtypes for numbers that must not be mixed.

use std::fmt;

/// One of the processes (or threads) that share a run; 0 is the one that talks to the user.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rank(pub u32);

impl Rank {
    pub const ROOT: Rank = Rank(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn is_root(self) -> bool {
        self == Rank::ROOT
    }

    /// All ranks of a run, in order.
    pub fn all(ranks: u32) -> impl Iterator<Item = Rank> + Clone {
        (0..ranks).map(Rank)
    }

    /// All ranks but `self`, beginning with the next one, so that ranks that broadcast at the same
    /// time do not all begin with rank 0.
    pub fn others(self, ranks: u32) -> impl Iterator<Item = Rank> + Clone {
        (1..ranks).map(move |step| Rank((self.0 + step) % ranks))
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_begin_after_self_and_leave_it_out() {
        let others: Vec<u32> = Rank(2).others(4).map(|r| r.0).collect();
        assert_eq!(others, [3, 0, 1]);
        assert_eq!(Rank(0).others(1).count(), 0);
    }
}
