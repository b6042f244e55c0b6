//! A line of the compact store: how entries stand in it.
//!
//! Entries of 5 to 8 bytes live in lines of 12, 10, 9 or 7: first the lower four bytes of each, so that all are compared at
//! once, then what is above. Places are taken from the front; the lower four bytes of an entry are never all zero,
//! which marks a free place. The last byte says where else entries are whose home is this line. `E` is the size of an
//! entry.

use crate::base::lines::{LINE_BYTES, Line};

/// Where a line says which lines before it have entries of its own: a bit for each, the nearest first.
pub const ELSEWHERE: usize = LINE_BYTES - 1;
/// How many lines before its home an entry may stand.
pub const REACH: usize = 7;
/// The bit behind those: some are kept aside.
pub const ASIDE: u8 = 1 << REACH;

/// Notes in a home's line that an entry stands so many lines before it.
#[inline(always)]
pub fn say_elsewhere(home: &mut Line, distance: usize) {
    home.0[ELSEWHERE] |= 1 << (distance - 1);
}

pub const fn entries_per_line(entry_bytes: usize) -> usize {
    ELSEWHERE / entry_bytes
}

/// A line's entries as words of four bytes, and behind them what is above 32 bits.
const fn upper_at(entry_bytes: usize, at: usize) -> usize {
    4 * entries_per_line(entry_bytes) + at * (entry_bytes - 4)
}

#[inline(always)]
fn upper<const E: usize>(line: &Line, at: usize) -> u32 {
    let begin = upper_at(E, at);
    if E == 7 {
        // Three bytes at once, with the one behind: the last is the line's last.
        let bytes = line.0[begin..begin + 4].try_into().expect("four bytes");
        return u32::from_le_bytes(bytes) & 0xff_ffff;
    }
    let mut bytes = [0; 4];
    bytes[..E - 4].copy_from_slice(&line.0[begin..begin + E - 4]);
    u32::from_le_bytes(bytes)
}

#[inline(always)]
pub fn get<const E: usize>(line: &Line, at: usize) -> u64 {
    let lower = u32::from_le_bytes(line.0[at * 4..at * 4 + 4].try_into().expect("four bytes"));
    u64::from(upper::<E>(line, at)) << 32 | u64::from(lower)
}

#[inline(always)]
pub fn put<const E: usize>(line: &mut Line, at: usize, entry: u64) {
    let bytes = entry.to_le_bytes();
    line.0[at * 4..at * 4 + 4].copy_from_slice(&bytes[..4]);
    let begin = upper_at(E, at);
    line.0[begin..begin + E - 4].copy_from_slice(&bytes[4..E]);
}

/// Writes a line of these entries, zeros where places are free. Its words are put together before they are written: a
/// processor hands small writes over to a large read slowly.
#[inline(always)]
pub fn write_line<const E: usize>(line: &mut Line, entries: &[u64]) {
    let mut words = [0u64; LINE_BYTES / 8];
    for (at, &entry) in entries[..entries_per_line(E)].iter().enumerate() {
        words[at / 2] |= u64::from(entry as u32) << (at % 2 * 32);
        let (word, bit) = (upper_at(E, at) / 8, upper_at(E, at) % 8 * 8);
        words[word] |= entry >> 32 << bit;
        if bit + (E - 4) * 8 > 64 {
            words[word + 1] |= entry >> 32 >> (64 - bit);
        }
    }
    for (bytes, word) in line.0.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

/// Whether the entry is in the line. Its lower parts are compared all at once: where it is cannot be foreseen.
#[inline(always)]
pub fn holds<const E: usize>(line: &Line, entry: u64) -> bool {
    let mut equal = line.equal_words(entry as u32) & ((1 << entries_per_line(E)) - 1);
    while equal != 0 {
        if upper::<E>(line, equal.trailing_zeros() as usize) == (entry >> 32) as u32 {
            return true;
        }
        equal &= equal - 1;
    }
    false
}

/// How many places are taken: those in front.
#[inline(always)]
pub fn filled<const E: usize>(line: &Line) -> usize {
    (line.equal_words(0) | 1 << entries_per_line(E)).trailing_zeros() as usize
}

#[inline(always)]
pub fn is_full<const E: usize>(line: &Line) -> bool {
    let last = (entries_per_line(E) - 1) * 4;
    line.0[last..last + 4] != [0; 4]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::prng::Prng;

    fn what_is_written_is_read<const E: usize>() {
        let (mut prng, each) = (Prng::new(E as u64), entries_per_line(E));
        for count in 0..=each {
            let mut entries = [0; 12];
            let entry = |n: u64| (n | 1) >> (64 - 8 * E as u32) | 1;
            entries[..count].iter_mut().for_each(|into| *into = entry(prng.next_u64()));
            let (mut line, mut one_by_one) = (Line([0xff; LINE_BYTES]), Line([0; LINE_BYTES]));
            write_line::<E>(&mut line, &entries);
            (0..count).for_each(|at| put::<E>(&mut one_by_one, at, entries[at]));
            assert_eq!(line.0, one_by_one.0);
            assert_eq!((filled::<E>(&line), is_full::<E>(&line)), (count, count == each));
            assert!(
                (0..count).all(|at| get::<E>(&line, at) == entries[at] && holds::<E>(&line, entries[at]))
            );
            assert!(!holds::<E>(&line, entry(prng.next_u64())));
        }
    }

    #[test]
    fn lines_hold_what_was_written_for_every_size() {
        what_is_written_is_read::<5>();
        what_is_written_is_read::<6>();
        what_is_written_is_read::<7>();
        what_is_written_is_read::<8>();
    }
}
