//! From all states left to a few that still hold a fair cycle, on all ranks, by forward steps alone.
//!
//! In: what the rounds left. Out: a part of it that no other state left leads into. Each state is given a colour of
//! its own at random; colours spread along steps, and the largest wins. When nothing changes, the colour of a state is
//! the largest among all states that lead to it and its own. Along a step colours do not fall, so the states with the
//! least colour of all are led to by none but each other; the rest is deleted.
//!
//! Invariant: what is kept is closed under predecessors, so each of its states has the tags it had, and the component
//! in it that no other one leads to is still fair (thesis, 6.3). All states of a component have one colour, so none
//! is torn. With random colours, states that only follow a component go with a probability that grows with their
//! number; it is repeated with new colours until few are left or nothing goes several times in a row. Colouring is
//! Orzan's way to components (On Distributed Verification and Verified Distribution, 2004) without the steps back.
//! Cost: 8 bytes a pending state while it lasts, and an expansion each time a state's colour grew.

use super::pending::DEAD;
use super::rounds::{Phase, Rounds};
use crate::comm::Op;
use crate::explore::StateRef;
use crate::explore::sequel::Stage;

/// So few states are not worth narrowing further.
const FEW: u64 = 1_000;
/// Colourings in a row that delete nothing before it is left at that.
const VAIN_MAX: u32 = 3;

impl Rounds<'_> {
    /// Deletes most of what is left and keeps a fair cycle; how many states are left, or why it was given up.
    pub fn narrow(&mut self, stage: &mut Stage<'_, '_>, mut left: u64) -> Result<u64, String> {
        self.colours = vec![0; self.table.len()];
        let (mut salt, mut vain) = (0, 0);
        while left > FEW && vain < VAIN_MAX {
            salt += 1;
            self.colour(salt);
            self.run_phase(stage, Phase::Colour);
            let troubles = stage.exchange.tally(Op::Sum, &[i64::from(self.trouble.is_some())])[0] as u64;
            if troubles > 0 {
                return Err(self.agree_on_trouble(stage.exchange, troubles).unwrap_or_default());
            }
            let least = (0..self.table.len()).filter(|&at| !self.table.has(at, DEAD));
            let least = least.map(|at| self.colours[at]).min().unwrap_or(i64::MAX);
            let least = stage.exchange.tally(Op::Min, &[least])[0];
            for at in 0..self.table.len() {
                if !self.table.has(at, DEAD) && self.colours[at] != least {
                    self.kill(at);
                }
            }
            self.waiting.clear();
            let now = stage.exchange.tally(Op::Sum, &[self.alive as i64])[0] as u64;
            vain = if now < left { 0 } else { vain + 1 };
            left = now;
        }
        self.colours = Vec::new();
        Ok(left)
    }

    /// Gives each state a colour of its own, and lets all wait.
    fn colour(&mut self, salt: u64) {
        for (at, colour) in self.colours.iter_mut().enumerate() {
            *colour = scatter(StateRef::new(self.me, at as u64).word(), salt) as i64;
        }
        self.queue_where(|table, at| !table.has(at, DEAD));
    }

    pub(super) fn arrive_colour(&mut self, at: usize, colour: i64) {
        if colour > self.colours[at] {
            self.colours[at] = colour;
            self.enqueue(at);
        }
    }
}

/// A permutation of all words for each salt (the finaliser of SplitMix64), so no two states have one colour.
fn scatter(word: u64, salt: u64) -> u64 {
    let mut mixed = word.wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
