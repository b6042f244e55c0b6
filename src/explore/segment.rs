//! A part of the compact store: entries in cache lines, dense, in order, and growing from themselves.
//!
//! Entries of 5 to 8 bytes live in lines of 12, 10, 9 or 7, with a byte that says how many overflowed. A state's address
//! (64 bits of its hash, evenly spread) names its home line. Homes are monotone in the address, and entries stand in the
//! order of their homes: what does not fit goes to the line behind, in front of that line's own entries. So one line
//! answers most questions however full the table is, the byte says how far the others have to look, and the home
//! of every entry can be told from the table itself.
//!
//! Growing. The place of a state is `v = address * span / 2^64`; its home is `v * homes / span`. The lowest bits of `v`,
//! `growth` of them, are kept in the entry; the rest follows from the home. So a table whose homes are between
//! `base = span >> growth` and `span` can be spread over more lines from itself: one pass, in order, in place. Homes with
//! few places would be unevenly full, so that is done only while a home has 64 places or more; then these bits are
//! used up, and the table must be filled anew from the addresses. It may be told to do so earlier the first time.
//!
//! That an ordered table need not keep what its places say is from J. G. Cleary, "Compact hash tables using
//! bidirectional linear probing" (IEEE Transactions on Computers, 1984). Cost: in a table that is 91 % full about three in ten
//! questions need a second line, the one behind; at 80 %, one in ten. A new state whose home is full moves one entry of
//! each home up to the next free place: about six homes at 91 %, eleven at 93 %.

use super::entries::{OVER, OVER_MAX, entries_per_line, filled, get, holds, put};
use super::spread::{Reader, Writer};
use super::store::Insert;
use crate::base::lines::{LINE_BYTES, Line, Lines};
use crate::base::prefetch::prefetch;

/// A table is full beyond this share of its entries.
pub const LOAD_PERCENT_MAX: u64 = 91;
/// Lines asked for behind a full one: as far as most entries have to move.
const LINES_AHEAD: usize = 3;
/// Where more than this overflow, further lines are asked for, up to so many.
const OVER_USUAL: u8 = 3;
const LINES_AHEAD_MAX: usize = 8;
/// A home has at least two to this many places.
pub const PLACE_BITS: u32 = 6;

/// What all entries have in common.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Bits of an entry, and how many of them are for growing.
    pub bits: u32,
    pub growth: u32,
}

impl Form {
    pub fn entry_bytes(self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    fn entries_per_line(self) -> usize {
        entries_per_line(self.entry_bytes())
    }

    /// Lines behind the last home: for what overflows from it, and as many again for moving.
    fn rest(self) -> u64 {
        u64::from(OVER_MAX).div_ceil(self.entries_per_line() as u64) + 2
    }

    /// Lines of a table with so many homes.
    pub fn lines(self, homes: u64) -> u64 {
        homes + 2 * self.rest()
    }
}

pub struct Segment {
    lines: Lines,
    form: Form,
    homes: u64,
    /// How many places are told apart.
    span: u64,
    /// `homes / span`, in units of `2^-64`.
    scale: u64,
    /// Beyond so many homes the table must be filled anew.
    homes_max: u64,
    len: u64,
    capacity: u64,
    /// `homes / base`: how much likelier entries of one line are equal than their bits say.
    weight: f64,
    /// Comparisons made by new states, each with its weight.
    comparisons: f64,
}

#[inline]
fn high_product(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

impl Segment {
    /// An empty table that may grow to `lines_max` lines, and to `first_max` homes before it is filled anew the first
    /// time; none where the system has no room.
    pub fn new(form: Form, homes: u64, first_max: u64, lines_max: u64) -> Option<Segment> {
        let mut segment = Segment {
            lines: Lines::new(lines_max.max(form.lines(homes)))?,
            form,
            homes,
            span: 0,
            scale: 0,
            homes_max: 0,
            len: 0,
            capacity: 0,
            weight: 1.0,
            comparisons: 0.0,
        };
        let made = segment.make_empty(homes);
        segment.homes_max = segment.homes_max.min(first_max);
        made.then_some(segment)
    }

    /// Empties the table and gives it so many homes; false where the system has no room.
    pub fn make_empty(&mut self, homes: u64) -> bool {
        if !self.lines.grow(self.form.lines(homes) as usize) {
            return false;
        }
        self.lines.fill(Line([0; LINE_BYTES]));
        self.lines.make_huge();
        self.len = 0;
        self.span = homes << self.form.growth;
        self.homes_max = self.span >> PLACE_BITS;
        self.set_homes(homes);
        true
    }

    fn set_homes(&mut self, homes: u64) {
        self.homes = homes;
        self.scale = ((u128::from(homes) << 64) / u128::from(self.span)) as u64;
        self.weight = homes as f64 / (self.span >> self.form.growth) as f64;
        self.capacity = homes * self.form.entries_per_line() as u64 * LOAD_PERCENT_MAX / 100;
    }

    pub fn homes(&self) -> u64 {
        self.homes
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn lines(&self) -> u64 {
        self.lines.len() as u64
    }

    pub fn comparisons(&self) -> f64 {
        self.comparisons
    }

    /// Of states that were counted when they were new.
    pub fn set_comparisons(&mut self, comparisons: f64) {
        self.comparisons = comparisons;
    }

    /// Home and entry. The lower half of an entry is never zero, which marks an empty place.
    #[inline]
    fn place(&self, address: u64, print: u64) -> (usize, u64) {
        let Form { bits, growth } = self.form;
        let v = high_product(address, self.span);
        let low = print & (u64::MAX >> (64 - (bits - growth)));
        let kept = v & ((1 << growth) - 1);
        let entry = (low | u64::from(low as u32 == 0)) | kept << (bits - growth);
        (high_product(v, self.scale) as usize, entry)
    }

    /// Asks for the home's line, and for the line behind it if wanted.
    #[inline]
    pub fn prefetch(&self, address: u64, behind: bool) {
        let v = high_product(address, self.span);
        let home = high_product(v, self.scale) as usize;
        prefetch(&self.lines[home]);
        if behind {
            prefetch(&self.lines[home + 1]);
        }
    }

    /// Whether the home's line alone tells that the state is old. Where it does not and is full, asks for the lines
    /// behind it: the state is in one of them, or what is taken in moves entries from line to line. Neither can be
    /// foreseen, so the same number of lines is asked for always; where none is needed, it is the line itself.
    #[inline(always)]
    pub fn old_at_home<const E: usize>(&self, address: u64, print: u64) -> bool {
        let (home, entry) = self.place(address, print);
        let line = &self.lines[home];
        let old = holds::<E>(line, entry);
        let behind = usize::from(!old && filled::<E>(line) == entries_per_line(E));
        for ahead in 1..=LINES_AHEAD {
            prefetch(&self.lines[home + ahead * behind]);
        }
        if behind == 1 && line.0[OVER] > OVER_USUAL {
            let over = usize::from(line.0[OVER]).min(LINES_AHEAD_MAX);
            self.lines[home + LINES_AHEAD + 1..=home + LINES_AHEAD + over].iter().for_each(prefetch);
        }
        old
    }

    /// `E` is the size of an entry.
    #[inline]
    pub fn insert<const E: usize>(&mut self, address: u64, print: u64) -> Insert {
        let (home, entry) = self.place(address, print);
        if holds::<E>(&self.lines[home], entry) {
            return Insert::Old;
        }
        self.insert_elsewhere::<E>(home, entry)
    }

    /// Looks among what overflowed, and takes the entry in.
    fn insert_elsewhere<const E: usize>(&mut self, home: usize, entry: u64) -> Insert {
        let each = entries_per_line(E);
        let behind = usize::from(self.lines[home].0[OVER]).div_ceil(each);
        if self.lines[home + 1..=home + behind].iter().any(|line| holds::<E>(line, entry)) {
            return Insert::Old;
        }
        // Only a new state needs room; old ones are known however full the table is.
        if self.len >= self.capacity {
            return Insert::Full;
        }
        let filled = filled::<E>(&self.lines[home]);
        if filled < each {
            put::<E>(&mut self.lines[home], filled, entry);
        } else if !self.overflow::<E>(home, entry) {
            return Insert::Full;
        }
        self.len += 1;
        self.comparisons += (filled + behind * each) as f64 * self.weight;
        Insert::New
    }

    /// Takes in an entry whose home is full; false, and nothing has changed, where too many would overflow.
    fn overflow<const E: usize>(&mut self, home: usize, entry: u64) -> bool {
        let each = entries_per_line(E);
        let lines = &mut self.lines[home..];
        // All lines are looked at before one is written: a line that was just written in part is slow to read as a whole.
        let (mut full, mut free) = (0, each);
        while free == each {
            if lines[full].0[OVER] >= OVER_MAX {
                return false;
            }
            full += 1;
            free = filled::<E>(&lines[full]);
        }
        // Home after home, the last entry so far goes to the end of its home's entries, where another home's begin;
        // the first of those has to go to the end of them.
        let (mut moved, mut end_before) = (entry, usize::MAX);
        for at in 0..full {
            let end = (at + 1) * each + usize::from(lines[at].0[OVER]);
            lines[at].0[OVER] += 1;
            if end == end_before {
                continue; // Nothing has its home here.
            }
            end_before = end;
            let (last, place) = (end / each, end % each);
            if (last, place) == (full, free) {
                // What is in the lines between came from before them, and one entry more went past them.
                lines[at + 1..last].iter_mut().for_each(|line| line.0[OVER] += 1);
                break;
            }
            let next = get::<E>(&lines[last], place);
            put::<E>(&mut lines[last], place, moved);
            moved = next;
        }
        put::<E>(&mut lines[full], free, moved);
        true
    }

    /// Spreads the table over so many homes; false where the bits for growing do not suffice, or the system has no
    /// room: then nothing has changed.
    pub fn grow(&mut self, homes: u64) -> bool {
        if homes > self.homes_max || !self.lines.grow(self.form.lines(homes) as usize) {
            return false;
        }
        match self.form.entry_bytes() {
            5 => self.spread::<5>(homes),
            6 => self.spread::<6>(homes),
            7 => self.spread::<7>(homes),
            _ => self.spread::<8>(homes),
        }
        self.lines.make_huge();
        true
    }

    /// Spreads the entries over more homes: moves all lines to the end, then writes from the beginning, in order. What
    /// is written never reaches what is still to be read, as homes behind one spread by no more than all do.
    fn spread<const E: usize>(&mut self, homes: u64) {
        let (old_homes, old_scale) = (self.homes as usize, self.scale);
        let rest = self.form.rest() as usize;
        self.set_homes(homes);
        let shift = homes as usize - old_homes + rest;
        self.lines.copy_within(..old_homes + rest, shift);
        let (growth, low_bits) = (self.form.growth, self.form.bits - self.form.growth);
        let v_of = move |first_v: u64, entry: u64| {
            first_v + ((entry >> low_bits).wrapping_sub(first_v) & ((1 << growth) - 1))
        };
        let mut reader = Reader::<E>::new(shift);
        let mut writer = Writer::<E>::new();
        let width = self.span / old_homes as u64;
        let mut first_v = 0;
        for home in 0..old_homes {
            let scale = self.scale;
            let entries = reader.home(&self.lines, home);
            writer.sort(entries, |entry| high_product(v_of(first_v, entry), scale) as usize);
            let to = high_product(first_v, scale) as usize;
            first_v += width;
            first_v += u64::from(high_product(first_v, old_scale) <= home as u64);
            let last = home + 1 == old_homes;
            let next = if last { homes as usize } else { high_product(first_v, scale) as usize };
            (to..next).for_each(|to| writer.write(&mut self.lines, to));
        }
        writer.finish(&mut self.lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::prng::Prng;

    const FORM: Form = Form { bits: 56, growth: 4 + PLACE_BITS };

    #[test]
    fn entries_stand_in_the_order_of_their_homes_through_every_growth() {
        let mut table = Segment::new(FORM, 64, u64::MAX, 1 << 12).expect("room");
        let mut prng = Prng::new(5);
        let mut seen = Vec::new();
        while table.homes() < 900 {
            let (address, print) = (prng.next_u64(), prng.next_u64());
            match table.insert::<7>(address, print) {
                Insert::Full => assert!(table.grow(table.homes() * 6 / 5)),
                Insert::New => seen.push((address, print)),
                Insert::Old => panic!("56 bits tell so few apart"),
            }
            if seen.len() % 50 == 0 {
                check_order(&table);
            }
            if seen.len() % 500 == 0 {
                assert!(seen.iter().all(|&(a, p)| table.insert::<7>(a, p) == Insert::Old));
            }
        }
        assert_eq!(table.len(), seen.len() as u64);
        assert!(!table.grow((64 << 4) + 1), "the bits for growing are used up");
    }

    #[test]
    fn many_states_with_one_home_go_behind_each_other() {
        // Addresses of few homes overflow far, past homes without states of their own, and over each other.
        let mut table = Segment::new(FORM, 64, u64::MAX, 1 << 12).expect("room");
        let mut prng = Prng::new(9);
        let mut seen = Vec::new();
        loop {
            let home = [3, 3, 3, 5, 6, 10, 30][prng.index(7)];
            let (address, print) = (home << 58 | prng.next_u64() >> 6, prng.next_u64());
            match table.insert::<7>(address, print) {
                Insert::Full => break,
                Insert::New => seen.push((address, print)),
                Insert::Old => panic!("56 bits tell so few apart"),
            }
            check_order(&table);
        }
        assert!(seen.len() > 150, "{} states", seen.len());
        assert!(seen.iter().all(|&(a, p)| table.insert::<7>(a, p) == Insert::Old));
        assert!(table.grow(128));
        check_order(&table);
        assert!(seen.iter().all(|&(a, p)| table.insert::<7>(a, p) == Insert::Old));
    }

    fn check_order(table: &Segment) {
        let (mut over_before, mut entries) = (0usize, 0);
        for home in 0..table.homes as usize {
            let (line, each) = (&table.lines[home], entries_per_line(7));
            let (over, filled) = (usize::from(line.0[OVER]), filled::<7>(line));
            assert!(over == 0 || filled == each, "only a full line overflows");
            assert!(filled + over >= over_before, "what overflowed into the line is in it or went on");
            entries += filled + over - over_before;
            over_before = over;
        }
        assert_eq!(entries as u64, table.len());
    }
}
