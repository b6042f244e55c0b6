//! Where each slot of a state stands in its packed form.
//!
//! In: a model's slots. Out: for each slot a word, a shift and a width; a packed state is a whole number of
//! 64-bit words. A slot's *code* is 0 for undefined, otherwise one more than the value's distance from the
//! least value of its type, so codes keep the order of values, with undefined least. A slot has as many bits
//! as its largest code, and never straddles two words; bits that belong to no slot are 0.
//!
//! Invariant: packing is one to one, and the layout follows from the model alone, so equal states have equal
//! words on every rank. `bytes` writes words in little-endian order, whatever the machine's.
//!
//! Slots go into the first word with room, in the order of the text, or by decreasing width where that saves
//! a word. Cost: one heap operation a slot. It leaves out the analysis of slots that never are undefined.

use crate::ir::{Model, TypeId, Types, UNDEFINED};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const WORD_BITS: u32 = u64::BITS;

/// Where one slot stands, and how its code turns into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub word: u32,
    pub shift: u8,
    /// From 0 (a type without values) to 64.
    pub width: u8,
    /// The least value of the type: its code is 1.
    pub first: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Field {
    /// The bits of a code, before it is shifted into place.
    pub fn mask(self) -> u64 {
        match self.width {
            0 => 0,
            width => u64::MAX >> (WORD_BITS - u32::from(width)),
        }
    }

    pub fn code(self, words: &[u64]) -> u64 {
        (words[self.word as usize] >> (self.shift & 63)) & self.mask()
    }

    /// Replaces a code; bits of `code` beyond the width must be 0.
    pub fn set_code(self, words: &mut [u64], code: u64) {
        let word = &mut words[self.word as usize];
        let shift = self.shift & 63;
        *word = (*word & !(self.mask() << shift)) | (code << shift);
    }

    pub fn value_of(self, code: u64) -> i64 {
        match code {
            0 => UNDEFINED,
            _ => self.first.wrapping_add_unsigned(code - 1),
        }
    }

    pub fn code_of(self, value: i64) -> u64 {
        match value {
            UNDEFINED => 0,
            _ => (value.wrapping_sub(self.first) as u64).wrapping_add(1),
        }
    }
}

impl Layout {
    pub fn new(model: &Model) -> Layout {
        Layout::of_types(&model.types, model.slots.iter().map(|slot| slot.ty))
    }

    fn of_types(types: &Types, slots: impl Iterator<Item = TypeId>) -> Layout {
        let blank: Vec<Field> = slots
            .map(|ty| Field { word: 0, shift: 0, width: width(types.count(ty)), first: types.first(ty) })
            .collect();
        let textual: Vec<u32> = (0..blank.len() as u32).collect();
        let mut wide_first = textual.clone();
        wide_first.sort_by_key(|&slot| Reverse(blank[slot as usize].width));
        let plain = Layout::first_fit(blank.clone(), &textual);
        let dense = Layout::first_fit(blank, &wide_first);
        if dense.words < plain.words { dense } else { plain }
    }

    fn first_fit(mut fields: Vec<Field>, order: &[u32]) -> Layout {
        // For each number of free bits, the words that have just so many.
        let mut words_by_room: Vec<BinaryHeap<Reverse<u32>>> =
            vec![BinaryHeap::new(); WORD_BITS as usize + 1];
        let mut words = 0;
        for &slot in order {
            let field = &mut fields[slot as usize];
            let width = usize::from(field.width);
            let candidates =
                (width..words_by_room.len()).filter_map(|room| Some((words_by_room[room].peek()?.0, room)));
            let (word, room) = match candidates.min() {
                Some((word, room)) => {
                    words_by_room[room].pop();
                    (word, room)
                }
                None => {
                    words += 1;
                    (words - 1, WORD_BITS as usize)
                }
            };
            field.word = word;
            field.shift = (WORD_BITS as usize - room) as u8;
            words_by_room[room - width].push(Reverse(word));
        }
        Layout { fields, words: (words as usize).max(1) }
    }

    /// How many 64-bit words a packed state has; at least one.
    pub fn words(&self) -> usize {
        self.words
    }

    pub fn slots(&self) -> usize {
        self.fields.len()
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Packs one value a slot. A value outside its slot's type is a bug of whoever made the state.
    pub fn pack(&self, state: &[i64], words: &mut [u64]) {
        assert_eq!(state.len(), self.fields.len(), "a state has one value a slot");
        words[..self.words].fill(0);
        let mut beyond = 0;
        // Neighbours mostly share a word, which is written once they are together.
        let (mut at, mut word) = (0, 0);
        for (field, &value) in self.fields.iter().zip(state) {
            let code = field.code_of(value);
            beyond |= code.checked_shr(u32::from(field.width)).unwrap_or(0);
            if field.word != at {
                words[at as usize] |= word;
                (at, word) = (field.word, 0);
            }
            word |= code << (field.shift & 63);
        }
        words[at as usize] |= word;
        assert!(beyond == 0, "a value does not fit its slot");
    }

    pub fn unpack(&self, words: &[u64], state: &mut [i64]) {
        for (field, value) in self.fields.iter().zip(state) {
            *value = field.value_of(field.code(words));
        }
    }

    /// The packed state as bytes that are the same on every machine.
    pub fn bytes(words: &[u64]) -> impl Iterator<Item = u8> + '_ {
        words.iter().flat_map(|word| word.to_le_bytes())
    }
}

/// The bits for `values` codes and the one for "undefined".
fn width(values: u64) -> u8 {
    (WORD_BITS - values.leading_zeros()) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Type;
    use proptest::prelude::*;

    fn layout_of(ranges: &[(i64, i64)]) -> Layout {
        let mut types = Types::new();
        let slots: Vec<TypeId> =
            ranges.iter().map(|&(lo, hi)| types.intern(Type::Range { lo, hi })).collect();
        Layout::of_types(&types, slots.into_iter())
    }

    fn round_trip(layout: &Layout, state: &[i64]) -> Vec<u64> {
        let mut words = vec![u64::MAX; layout.words()];
        layout.pack(state, &mut words);
        let mut back = vec![7; state.len()];
        layout.unpack(&words, &mut back);
        assert_eq!(back, state);
        words
    }

    #[test]
    fn widths_hold_all_codes_and_no_more() {
        assert_eq!([0, 1, 2, 3, 4, 7, 8].map(width), [0, 1, 2, 2, 3, 3, 4]);
        assert_eq!(width(u64::MAX), 64);
    }

    #[test]
    fn all_states_of_a_small_model_are_told_apart() {
        let layout = layout_of(&[(0, 1), (-2, 1), (5, 5), (1, 0)]);
        let mut seen = std::collections::HashSet::new();
        for a in [UNDEFINED, 0, 1] {
            for b in [UNDEFINED, -2, -1, 0, 1] {
                for c in [UNDEFINED, 5] {
                    assert!(seen.insert(round_trip(&layout, &[a, b, c, UNDEFINED])));
                }
            }
        }
        assert_eq!((seen.len(), layout.words()), (30, 1));
    }

    #[test]
    fn the_extremes_fit() {
        let layout = layout_of(&[(i64::MIN + 1, i64::MAX), (0, 1)]);
        for wide in [UNDEFINED, i64::MIN + 1, -1, 0, i64::MAX] {
            round_trip(&layout, &[wide, 1]);
        }
        assert_eq!(layout.words(), 2);
    }

    #[test]
    fn decreasing_widths_are_used_where_they_save_a_word() {
        let wide = (0, (1 << 40) - 2);
        let narrow = (0, (1 << 24) - 2);
        assert_eq!(layout_of(&[narrow, narrow, wide, wide]).words(), 2);
    }

    proptest! {
        #[test]
        fn every_state_comes_back(slots in proptest::collection::vec((-50i64..50, 0u32..62, any::<u64>()), 0..40)) {
            let ranges: Vec<(i64, i64)> = slots.iter().map(|&(lo, bits, _)| (lo, lo + (1i64 << bits) - 1)).collect();
            let layout = layout_of(&ranges);
            let state: Vec<i64> = slots
                .iter()
                .map(|&(lo, bits, pick)| match pick % ((1u64 << bits) + 1) {
                    0 => UNDEFINED,
                    code => lo + (code - 1) as i64,
                })
                .collect();
            round_trip(&layout, &state);
            for (at, a) in layout.fields().iter().enumerate() {
                prop_assert!(u32::from(a.shift) + u32::from(a.width) <= WORD_BITS || a.width == 0);
                for b in &layout.fields()[..at] {
                    let bits = |f: &Field| f.mask().checked_shl(u32::from(f.shift)).unwrap_or(0);
                    prop_assert!(a.word != b.word || bits(a) & bits(b) == 0);
                }
            }
        }
    }
}
