//! Which states wait to be expanded: a short queue, and a flag at every state that waits.
//!
//! First in, first out while the queue has room; what does not fit waits with its flag alone and is found by going
//! round the states in the order of their numbers, which is about the order in which they were first reached. So the
//! memory is bounded, and where many states wait, each waits while the others' tags arrive.

use std::collections::VecDeque;

use super::pending::QUEUED;

const ROOM: usize = 1 << 14;

#[derive(Default)]
pub struct Waiting {
    queue: VecDeque<u32>,
    /// Some wait with their flag alone.
    more: bool,
    /// Where the next round trip goes on.
    cursor: usize,
}

impl Waiting {
    /// The state's flag says already that it waits.
    pub fn push(&mut self, at: usize) {
        if self.more || self.queue.len() >= ROOM {
            self.more = true;
        } else {
            self.queue.push_back(at as u32);
        }
    }

    /// Queued whatever the room: for states that wait several times.
    pub fn push_again(&mut self, at: usize) {
        self.queue.push_back(at as u32);
    }

    /// All states with the flag wait, from the first on.
    pub fn begin(&mut self) {
        *self = Waiting { more: true, ..Waiting::default() };
    }

    pub fn clear(&mut self) {
        *self = Waiting::default();
    }

    /// The next state; its flag is for the caller to clear.
    pub fn pop(&mut self, flags: &[u8]) -> Option<usize> {
        if self.queue.is_empty() && self.more {
            self.look_round(flags);
        }
        self.queue.pop_front().map(|at| at as usize)
    }

    fn look_round(&mut self, flags: &[u8]) {
        let begin = self.cursor.min(flags.len());
        for (part, first) in [(&flags[begin..], begin), (&flags[..begin], 0)] {
            for (at, flag) in part.iter().enumerate() {
                if flag & QUEUED != 0 {
                    self.queue.push_back((first + at) as u32);
                    if self.queue.len() >= ROOM {
                        self.cursor = first + at + 1;
                        return;
                    }
                }
            }
        }
        self.more = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_gets_a_turn_and_nobody_two() {
        let count = 3 * ROOM + 5;
        let (mut flags, mut turns) = (vec![0u8; count], vec![0; count]);
        let mut waiting = Waiting::default();
        for (at, flag) in flags.iter_mut().enumerate() {
            *flag = QUEUED;
            waiting.push(at);
        }
        let mut again = count;
        while let Some(at) = waiting.pop(&flags) {
            flags[at] = 0;
            turns[at] += 1;
            if again > 0 {
                again -= 1;
                let other = at * 7 % count;
                if flags[other] == 0 {
                    turns[other] -= 1;
                    flags[other] = QUEUED;
                    waiting.push(other);
                }
            }
        }
        assert!(turns.iter().all(|&n| n == 1));
    }
}
