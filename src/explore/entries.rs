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

/// A line with these entries, zeros where places are free.
#[inline(always)]
pub fn line_of<const E: usize>(entries: &[u64]) -> Line {
    let mut line = Line([0; LINE_BYTES]);
    for (at, &entry) in entries[..entries_per_line(E)].iter().enumerate() {
        if E == 7 {
            line.0[at * 4..at * 4 + 4].copy_from_slice(&(entry as u32).to_le_bytes());
            // Four bytes at once; what is written too much is a zero, where the next entry or nothing will be.
            let begin = upper_at(E, at);
            line.0[begin..begin + 4].copy_from_slice(&((entry >> 32) as u32).to_le_bytes());
        } else {
            put::<E>(&mut line, at, entry);
        }
    }
    line
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
