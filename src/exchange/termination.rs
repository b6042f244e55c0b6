//! When is everyone done? Counted reductions, after Mattern's four counters.
//!
//! A rank joins a reduction only while it is idle with nothing left to send, with the numbers of messages it
//! has sent and received so far. A reduction is complete when all have joined, so each rank was idle at some
//! time in it, but not all at the same time: a message may have woken a rank that had joined already. Two
//! reductions in a row with the same sums, sent = received, exclude that: all contributions to the second were
//! made after all contributions to the first, and had a rank worked in between, it would have received a
//! message first, and the sum of received would have grown.
//!
//! It ends: once no rank has work and nothing is on its way, the next two reductions are equal. It does not
//! storm: an idle rank joins once and waits; the next reduction can complete only when all ranks were idle
//! again.

pub struct Detector {
    previous: Option<(i64, i64)>,
    joined: bool,
    /// A planted fault: believe the first balanced reduction.
    one_round_early: bool,
}

impl Detector {
    pub fn new(one_round_early: bool) -> Detector {
        Detector { previous: None, joined: false, one_round_early }
    }

    /// Whether a reduction is to be started now.
    pub fn join(&mut self) -> bool {
        !std::mem::replace(&mut self.joined, true)
    }

    pub fn joined(&self) -> bool {
        self.joined
    }

    /// Takes a reduction's sums; true when they show that all is done. Every rank sees the same sums, so all
    /// conclude the same.
    pub fn conclude(&mut self, sent: i64, received: i64) -> bool {
        self.joined = false;
        let equal = self.previous == Some((sent, received)) || self.one_round_early;
        let done = equal && sent == received;
        self.previous = (!done).then_some((sent, received));
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_equal_balanced_rounds_end_it_and_nothing_less() {
        let mut detector = Detector::new(false);
        assert!(detector.join());
        assert!(!detector.join(), "one reduction at a time");
        assert!(!detector.conclude(3, 2));
        assert!(detector.join());
        assert!(!detector.conclude(3, 3), "balanced once");
        assert!(!detector.conclude(4, 4), "balanced, but somebody worked in between");
        assert!(detector.conclude(4, 4));
        assert!(!detector.conclude(4, 4), "a new phase begins from nothing");
    }
}
