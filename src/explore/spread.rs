//! A table of the compact store read and written from the beginning, home after home: what growing is made of.
//!
//! The reader hands out the entries of one home after the other, the writer takes them for new homes, of which the entries of
//! one old home fall on at most three, next to each other. Both work on entries of eight bytes in buffers of their own and
//! turn whole lines into them and back. How many entries a home has cannot be foreseen, and a wrong guess costs the
//! processor as much as moving several; so the loops here mostly have a fixed length, and go over places that are free,
//! too. What stands there is zero, and so is what is written for it.
//!
//! Cost: about ten cycles an entry.

use super::entries::{OVER, OVER_MAX, entries_per_line, filled, get, put_next};
use crate::base::lines::{LINE_BYTES, Line};

/// Lines that are turned into entries at a time.
const LINES_AT_ONCE: usize = 64;
/// A home's entries reach no further than so many lines behind it.
const LINES_BEHIND: usize = OVER_MAX as usize / 7 + 2;
const ENTRIES_PER_LINE_MAX: usize = 12;
/// More than a home may have entries.
const HOME_ENTRIES_MAX: usize = 256;
const ROOM: usize = (LINES_AT_ONCE + LINES_BEHIND) * ENTRIES_PER_LINE_MAX + HOME_ENTRIES_MAX;

/// Entries that every home is taken to have; most have fewer.
const fn usual(entry_bytes: usize) -> usize {
    entries_per_line(entry_bytes) * 4 / 3
}

/// The entries of a table, by homes, in order.
pub struct Reader<const E: usize> {
    entries: Box<[u64; ROOM]>,
    /// For each home in `entries`: where its entries end, from the first line on.
    ends: [u32; LINES_AT_ONCE + LINES_BEHIND],
    /// The first home of which there is something in `entries`, and how many lines are.
    first: usize,
    lines: usize,
    /// Where the last home's entries ended, from the first line on.
    at: usize,
    /// Homes begin at this line of the table.
    shift: usize,
}

impl<const E: usize> Reader<E> {
    pub fn new(shift: usize) -> Reader<E> {
        let (entries, ends) = (Box::new([0; ROOM]), [0; LINES_AT_ONCE + LINES_BEHIND]);
        Reader { entries, ends, first: 0, lines: 0, at: 0, shift }
    }

    /// The entries of a home, which is the one behind the last that was asked for; `usual` places at least, of which those
    /// behind the count are another's.
    #[inline]
    pub fn home(&mut self, lines: &[Line], home: usize) -> (&[u64], usize) {
        let each = entries_per_line(E);
        if home - self.first + LINES_BEHIND >= self.lines {
            self.go_on(lines, home);
        }
        let begin = self.at.max((home - self.first) * each);
        let end = self.ends[home - self.first] as usize;
        self.at = end;
        (&self.entries[begin..end.max(begin + usual(E))], end - begin)
    }

    /// Forgets what is before a home, and turns further lines into entries.
    fn go_on(&mut self, lines: &[Line], home: usize) {
        let each = entries_per_line(E);
        let gone = home - self.first;
        self.entries.copy_within(gone * each..self.lines * each, 0);
        self.ends.copy_within(gone..self.lines, 0);
        let back = (gone * each) as u32;
        self.lines -= gone;
        self.ends[..self.lines].iter_mut().for_each(|end| *end -= back);
        (self.first, self.at) = (home, self.at.saturating_sub(gone * each));
        let more = &lines[(self.shift + home + self.lines).min(lines.len())..];
        for line in more.iter().take(LINES_AT_ONCE + LINES_BEHIND - self.lines) {
            let begin = self.lines * each;
            for (at, entry) in self.entries[begin..begin + each].iter_mut().enumerate() {
                *entry = get::<E>(line, at);
            }
            let over = usize::from(line.0[OVER]);
            let taken = if over > 0 { each + over } else { filled::<E>(line) };
            self.ends[self.lines] = (begin + taken) as u32;
            self.lines += 1;
        }
    }
}

/// Writes a table from the beginning.
pub struct Writer<const E: usize> {
    /// The entries of up to four homes that were not written yet, by the last two bits of the home; zeros behind them.
    sorted: Box<[[u64; HOME_ENTRIES_MAX]; 4]>,
    /// How many, sixteen bits for each of the four.
    counts: u64,
    /// Entries of lines that are not finished, zeros where places are free.
    entries: Box<[u64; ROOM]>,
    over: [u8; LINES_AT_ONCE],
    /// The first line that is not finished.
    first: usize,
    /// Behind the last entry, from that line on.
    at: usize,
}

impl<const E: usize> Writer<E> {
    pub fn new() -> Writer<E> {
        let (sorted, entries) = (Box::new([[0; HOME_ENTRIES_MAX]; 4]), Box::new([0; ROOM]));
        Writer { sorted, counts: 0, entries, over: [0; LINES_AT_ONCE], first: 0, at: 0 }
    }

    /// Takes in the entries of an old home, each with its new home; what is behind `count` is left out.
    #[inline]
    pub fn sort(&mut self, (entries, count): (&[u64], usize), home_of: impl Fn(u64) -> usize) {
        let mut counts = self.counts;
        let mut take = |entry: u64, valid: bool| {
            let entry = if valid { entry } else { 0 };
            let to = home_of(entry) % 4;
            self.sorted[to][(counts >> (16 * to)) as usize % HOME_ENTRIES_MAX] = entry;
            counts += u64::from(valid) << (16 * to);
        };
        let (usual, others) = entries.split_at(usual(E));
        usual.iter().enumerate().for_each(|(at, &entry)| take(entry, at < count));
        others.iter().for_each(|&entry| take(entry, true));
        self.counts = counts;
    }

    /// Writes what was taken in for a home, which is the one behind the last that was written.
    #[inline]
    pub fn write(&mut self, lines: &mut [Line], home: usize) {
        let each = entries_per_line(E);
        if home - self.first == LINES_AT_ONCE {
            self.put_away(lines);
        }
        let (sorted, shift) = (&mut self.sorted[home % 4], 16 * (home % 4));
        let count = usize::from((self.counts >> shift) as u16);
        self.counts &= !(0xffff << shift);
        let begin = self.at.max((home - self.first) * each);
        let (from, to) = (&mut sorted[..], &mut self.entries[begin..begin + HOME_ENTRIES_MAX]);
        to[..usual(E)].copy_from_slice(&from[..usual(E)]);
        from[..usual(E)].fill(0);
        if count > usual(E) {
            to[usual(E)..count].copy_from_slice(&from[usual(E)..count]);
            from[usual(E)..count].fill(0);
        }
        self.at = begin + count;
        self.over[home - self.first] = self.at.saturating_sub((home - self.first + 1) * each) as u8;
    }

    /// Turns lines that are finished into such, and keeps what is behind them.
    fn put_away(&mut self, lines: &mut [Line]) {
        let each = entries_per_line(E);
        let finished = &mut lines[self.first..self.first + LINES_AT_ONCE];
        for ((line, entries), &over) in
            finished.iter_mut().zip(self.entries.chunks_exact(each)).zip(&self.over)
        {
            *line = Line([0; LINE_BYTES]);
            entries.iter().enumerate().for_each(|(at, &entry)| put_next::<E>(line, at, entry));
            line.0[OVER] = over;
        }
        let gone = LINES_AT_ONCE * each;
        let left = self.at.saturating_sub(gone);
        self.entries.copy_within(gone..gone + left, 0);
        self.entries[left..].fill(0);
        (self.first, self.at, self.over) = (self.first + LINES_AT_ONCE, left, [0; LINES_AT_ONCE]);
    }

    /// Writes what is left; all lines behind it are empty.
    pub fn finish(mut self, lines: &mut [Line]) {
        while self.first < lines.len() {
            let missing = (self.first + LINES_AT_ONCE).saturating_sub(lines.len());
            if missing == 0 {
                self.put_away(lines);
                continue;
            }
            let mut last = [Line([0; LINE_BYTES]); LINES_AT_ONCE];
            let first = std::mem::take(&mut self.first);
            self.put_away(&mut last);
            lines[first..].copy_from_slice(&last[..LINES_AT_ONCE - missing]);
            return;
        }
    }
}
