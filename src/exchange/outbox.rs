//! Outboxes: one open batch for each peer and kind, and full ones that wait for credit.
//!
//! A batch is a header (number of items, phase, the sender's load) and the items' bytes, one behind the other. A batch is sealed
//! when it is full; sealed batches leave in order, and peers take turns, so that one without credit does not
//! hold up the rest. Buffers of received batches are used again: in a steady run nothing is allocated.

use std::collections::VecDeque;

use crate::base::{Rank, wire};
use crate::comm::{Batch, Tag};

/// Items, phase and load, and four bytes that keep items of whole words aligned.
pub const HEADER_BYTES: usize = 16;
/// Sealed batches in one outbox beyond which its producer is asked to pause.
const BACKLOG_MAX: usize = 4;
/// Empty buffers that are kept for use.
const SPARE_MAX: usize = 64;

#[derive(Default)]
struct Outbox {
    open: Batch,
    items: u32,
    sealed: VecDeque<Batch>,
}

pub struct Outboxes {
    boxes: Vec<Outbox>,
    items_max: u32,
    bytes_max: usize,
    /// Boxes with sealed batches, in the order in which their turn comes.
    turns: VecDeque<usize>,
    /// Boxes whose open batch has items.
    open: Vec<usize>,
    /// Boxes with more than `BACKLOG_MAX` sealed batches.
    backlogged: usize,
    spare: Vec<Batch>,
    /// Told to whoever gets a batch.
    pub load: u32,
}

/// What stands at the head of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub items: u32,
    pub phase: u32,
    pub load: u32,
}

pub fn header_of(batch: &[u8]) -> Header {
    let mut reader = wire::Reader::new(batch);
    match (reader.u32(), reader.u32(), reader.u32(), reader.u32()) {
        (Some(items), Some(phase), Some(load), Some(_)) => Header { items, phase, load },
        _ => panic!("a batch of {} bytes has no header", batch.len()),
    }
}

impl Outboxes {
    pub fn new(ranks: u32, items_max: u32, bytes_max: usize) -> Outboxes {
        Outboxes {
            boxes: (0..ranks as usize * Tag::COUNT).map(|_| Outbox::default()).collect(),
            items_max: items_max.max(1),
            bytes_max,
            turns: VecDeque::new(),
            open: Vec::new(),
            backlogged: 0,
            spare: Vec::new(),
            load: 0,
        }
    }

    /// Appends so many items, given in parts; whether a batch became full.
    pub fn push(&mut self, to: Rank, kind: Tag, count: u32, parts: &[&[u8]], phase: u32) -> bool {
        let at = to.index() * Tag::COUNT + kind.index();
        let outbox = &mut self.boxes[at];
        if outbox.items == 0 {
            outbox.open = self.spare.pop().unwrap_or_default();
            // Items and load are filled in when the batch is sealed.
            [0, phase, 0, 0].into_iter().for_each(|word| wire::put_u32(&mut outbox.open, word));
            self.open.push(at);
        }
        let before = outbox.open.len();
        parts.iter().for_each(|part| outbox.open.extend_from_slice(part));
        outbox.items += count;
        let item_bytes = outbox.open.len() - before;
        let full = outbox.items >= self.items_max || outbox.open.len() + item_bytes > self.bytes_max;
        if full {
            let place = self.open.iter().position(|&open| open == at).expect("an open box is listed");
            self.open.swap_remove(place);
            self.seal(at);
        }
        full
    }

    fn seal(&mut self, at: usize) {
        let outbox = &mut self.boxes[at];
        let mut batch = std::mem::take(&mut outbox.open);
        batch[..4].copy_from_slice(&outbox.items.to_le_bytes());
        batch[8..12].copy_from_slice(&self.load.to_le_bytes());
        outbox.items = 0;
        outbox.sealed.push_back(batch);
        match outbox.sealed.len() {
            1 => self.turns.push_back(at),
            len if len == BACKLOG_MAX + 1 => self.backlogged += 1,
            _ => {}
        }
    }

    pub fn seal_all(&mut self) {
        for at in std::mem::take(&mut self.open) {
            self.seal(at);
        }
    }

    pub fn seal_kind(&mut self, kind: Tag) {
        let (these, others) = self.open.iter().partition(|at| **at % Tag::COUNT == kind.index());
        self.open = others;
        let these: Vec<usize> = these;
        these.into_iter().for_each(|at| self.seal(at));
    }

    /// Offers sealed batches to `send`, box by box; a box whose batch comes back is left for the next time.
    pub fn drain_sealed(&mut self, mut send: impl FnMut(Rank, Tag, Batch) -> Result<(), Batch>) {
        for _ in 0..self.turns.len() {
            let Some(at) = self.turns.pop_front() else { return };
            let (to, kind) = (Rank((at / Tag::COUNT) as u32), Tag::ALL[at % Tag::COUNT]);
            let outbox = &mut self.boxes[at];
            let before = outbox.sealed.len();
            while let Some(batch) = outbox.sealed.pop_front() {
                if let Err(back) = send(to, kind, batch) {
                    outbox.sealed.push_front(back);
                    break;
                }
            }
            let after = outbox.sealed.len();
            if before > BACKLOG_MAX && after <= BACKLOG_MAX {
                self.backlogged -= 1;
            }
            if after > 0 {
                self.turns.push_back(at);
            }
        }
    }

    pub fn backlogged(&self) -> bool {
        self.backlogged > 0
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty() && self.open.is_empty()
    }

    /// Forgets all items that are still here, but for those of one kind.
    pub fn clear_but(&mut self, kept: Tag) {
        let forget = |at: &usize| Tag::ALL[at % Tag::COUNT] != kept;
        for (at, outbox) in self.boxes.iter_mut().enumerate() {
            if forget(&at) {
                *outbox = Outbox::default();
            }
        }
        self.turns.retain(|at| !forget(at));
        self.open.retain(|at| !forget(at));
        self.backlogged = self.boxes.iter().filter(|outbox| outbox.sealed.len() > BACKLOG_MAX).count();
    }

    /// Keeps a received batch's buffer for use.
    pub fn reuse(&mut self, mut batch: Batch) {
        if self.spare.len() < SPARE_MAX && batch.capacity() > 0 {
            batch.clear();
            self.spare.push(batch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_full_by_items_or_bytes() {
        let mut by_items = Outboxes::new(2, 2, 1 << 20);
        assert!(!by_items.push(Rank(1), Tag::States, 1, &[b"aa"], 7));
        assert!(by_items.push(Rank(1), Tag::States, 1, &[b"bb"], 7));
        let mut got = Vec::new();
        by_items.drain_sealed(|to, kind, batch| {
            got.push((to, kind, batch));
            Ok(())
        });
        assert_eq!(got.len(), 1);
        assert_eq!((got[0].0, got[0].1), (Rank(1), Tag::States));
        assert_eq!(header_of(&got[0].2), Header { items: 2, phase: 7, load: 0 });
        assert_eq!(&got[0].2[HEADER_BYTES..], b"aabb");
        assert!(by_items.is_empty());

        let mut by_bytes = Outboxes::new(2, 100, HEADER_BYTES + 5);
        assert!(!by_bytes.push(Rank(1), Tag::States, 1, &[b"aa"], 0));
        assert!(by_bytes.push(Rank(1), Tag::States, 1, &[b"bb"], 0));
    }

    #[test]
    fn a_box_without_credit_keeps_its_batches_in_order_and_others_go_on() {
        let mut boxes = Outboxes::new(3, 1, 1 << 20);
        for n in 0..=BACKLOG_MAX as u8 {
            boxes.push(Rank(1), Tag::States, 1, &[&[n]], 0);
        }
        boxes.push(Rank(2), Tag::States, 1, &[b"x"], 0);
        assert!(boxes.backlogged());
        let mut sent = Vec::new();
        boxes.drain_sealed(|to, _, batch| {
            if to == Rank(1) {
                Err(batch)
            } else {
                sent.push(batch);
                Ok(())
            }
        });
        assert_eq!(sent.len(), 1);
        let mut order = Vec::new();
        boxes.drain_sealed(|_, _, batch| {
            order.push(batch[HEADER_BYTES]);
            Ok(())
        });
        assert_eq!(order, [0, 1, 2, 3, 4]);
        assert!(!boxes.backlogged() && boxes.is_empty());
    }
}
