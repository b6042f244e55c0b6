//! The ledger of credits: what this rank may still send to each peer, and what it owes each peer.
//!
//! A credit is the right to have one more unacknowledged batch of a kind at a peer. It is spent when the batch
//! leaves, owed by the receiver when the batch was handled, and comes home in a message that carries all that
//! is owed. Owed credits are returned at half a window, so a window is never idle for long and messages of
//! credits stay few; what is left is returned when the rank is idle. Spent + owed + on their way + home is
//! constant for each pair and kind.

use crate::base::{Rank, wire};
use crate::comm::{Batch, Tag};

/// The sums of one peer, by kind.
#[derive(Clone, Copy, Default)]
struct Account {
    spent: [u32; Tag::COUNT],
    owed: [u32; Tag::COUNT],
}

pub struct Ledger {
    accounts: Vec<Account>,
    /// Credits per peer and kind; 0 means that nothing is held back. Debts are kept all the same, so that the
    /// bookkeeping is one.
    window: u32,
}

impl Ledger {
    pub fn new(ranks: u32, window: u32) -> Ledger {
        Ledger { accounts: vec![Account::default(); ranks as usize], window }
    }

    pub fn may_send(&self, to: Rank, kind: Tag) -> bool {
        // Control messages are few and must pass when everything else is held back.
        self.window == 0
            || kind == Tag::Control
            || self.accounts[to.index()].spent[kind.index()] < self.window
    }

    pub fn spend(&mut self, to: Rank, kind: Tag) {
        self.accounts[to.index()].spent[kind.index()] += 1;
    }

    pub fn come_home(&mut self, from: Rank, kind: Tag, credits: u32) {
        let spent = &mut self.accounts[from.index()].spent[kind.index()];
        assert!(*spent >= credits, "rank {from} returned {credits} credits of {kind:?}, but holds {spent}");
        *spent -= credits;
    }

    pub fn owe(&mut self, to: Rank, kind: Tag) {
        self.accounts[to.index()].owed[kind.index()] += 1;
    }

    /// Whether so much is owed to `peer` that its window may soon be empty.
    pub fn should_return(&self, peer: Rank) -> bool {
        let most = self.accounts[peer.index()].owed.iter().max().copied().unwrap_or(0);
        // Without a window nobody waits for credits, so only their number in one message matters.
        let threshold = if self.window == 0 { 1 << 10 } else { self.window.div_ceil(2) };
        most >= threshold
    }

    pub fn owes_any(&self) -> bool {
        self.accounts.iter().any(|account| account.owed.iter().any(|&owed| owed > 0))
    }

    /// All that is owed to `peer`, as a message that begins with this rank's load; `debt_paid` once it has left.
    pub fn debt_message(&self, peer: Rank, load: u32) -> Option<Batch> {
        let owed = &self.accounts[peer.index()].owed;
        if owed.iter().all(|&credits| credits == 0) {
            return None;
        }
        let mut message = Batch::new();
        wire::put_u32(&mut message, load);
        for (kind, &credits) in owed.iter().enumerate().filter(|(_, credits)| **credits > 0) {
            wire::put_u32(&mut message, kind as u32);
            wire::put_u32(&mut message, credits);
        }
        Some(message)
    }

    pub fn debt_paid(&mut self, peer: Rank) {
        self.accounts[peer.index()].owed = [0; Tag::COUNT];
    }

    /// A peer, a kind and how many credits are not home; `None` when all are.
    pub fn missing(&self) -> Option<(Rank, Tag, u32)> {
        Rank::all(self.accounts.len() as u32).find_map(|peer| {
            let spent = &self.accounts[peer.index()].spent;
            let kind = Tag::ALL.into_iter().find(|kind| spent[kind.index()] > 0)?;
            Some((peer, kind, spent[kind.index()]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_closes_and_opens_again() {
        let (mut here, mut there) = (Ledger::new(2, 2), Ledger::new(2, 2));
        let (me, peer) = (Rank(0), Rank(1));
        here.spend(peer, Tag::States);
        here.spend(peer, Tag::States);
        assert!(!here.may_send(peer, Tag::States));
        assert!(here.may_send(peer, Tag::Witnesses), "kinds have windows of their own");
        assert_eq!(here.missing(), Some((peer, Tag::States, 2)));

        there.owe(me, Tag::States);
        assert!(there.should_return(me), "half of a window of 2 is 1");
        assert_eq!(there.debt_message(me, 9).unwrap(), [9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        there.debt_paid(me);
        assert!(!there.owes_any());

        here.come_home(peer, Tag::States, 1);
        assert!(here.may_send(peer, Tag::States));
    }

    #[test]
    #[should_panic(expected = "returned 1 credits")]
    fn a_credit_from_nowhere_is_fatal() {
        Ledger::new(2, 2).come_home(Rank(1), Tag::States, 1);
    }
}
