//! A part of the compact store: entries in cache lines, dense, and growing from themselves.
//!
//! Entries of 5 to 8 bytes live in lines of 12, 10, 9 or 7, with a byte that says where others are. A state's address
//! (64 bits of its hash, evenly spread) names its home line. Where that is full, the entry goes to the nearest of the seven
//! lines before it that has room; the byte of the home says which of the seven those are. Where all of them are full, entries
//! are moved on from line to line, each within the reach of its own home, until one of the seven has room. So a new state
//! needs its home, the lines that its home names, and the one line with room, however full those between are: that one
//! is known from a bit for each line (`room.rs`).
//!
//! Growing. The place of a state is `v = address * span / 2^64`; its home is `v * homes / span`. The lowest bits of `v`,
//! `growth` of them, are kept in the entry, which is enough to tell the eight homes apart that may have an entry in a
//! line, and each home's places. So a table can be spread over more lines from itself (`spread.rs`). Homes with
//! few places would be unevenly full, so that is done only while a home has 64 places or more; then these bits are
//! used up, and the table must be filled anew from the addresses. It may be told to do so earlier the first time.
//!
//! What finds no place at all is kept aside, and its home says so; in tables as full as these that is hardly ever.
//!
//! Reach by a few bits of each home is from M. Herlihy, N. Shavit, M. Tzafrir, "Hopscotch hashing" (DISC 2008); keeping the rest
//! of an address instead of the whole from J. G. Cleary, "Compact hash tables using bidirectional linear probing" (IEEE
//! Transactions on Computers, 1984). Cost: in a simulation of tables 80 to 91 % full, a new state visits 1.2 lines beside its home, and
//! one in eight moves another entry; here they are 78 to 93 % full.
//!
//! Omission: entries of states are equal where `v` and the lower bits are, so a new state is taken for an old one with
//! probability at most `len / (span * 2^(bits - growth))`.

use super::entries::{
    ASIDE, ELSEWHERE, REACH, entries_per_line, filled, get, holds, is_full, put, say_elsewhere,
};
use super::room::Room;
use super::spread::Spread;
use super::store::Insert;
use crate::base::lines::{LINE_BYTES, Line, Lines};
use crate::base::prefetch::prefetch;

/// A table is full beyond this share of its entries.
pub const LOAD_PERCENT_MAX: u64 = 93;
/// A home has at least two to this many places.
pub const PLACE_BITS: u32 = 6;
/// What it takes to tell apart the homes that a line may have entries of.
pub const HOME_BITS: u32 = (REACH + 1).ilog2();
/// Entries moved for one state at most.
const MOVES_MAX: usize = 8;

/// What all entries have in common.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Bits of an entry, and how many of them say which home and where within it.
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

    /// Lines of a table with so many homes: some before the first.
    pub fn lines(self, homes: u64) -> u64 {
        homes + REACH as u64
    }
}

/// Which places are whose.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    form: Form,
    pub homes: u64,
    /// How many places are told apart.
    span: u64,
    /// `homes / span` and `span / homes`, in units of `2^-64`.
    homes_of_place: u64,
    places_of_home: u128,
}

#[inline]
fn high_product(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

impl Scale {
    fn new(form: Form, homes: u64, span: u64) -> Scale {
        let homes_of_place = ((u128::from(homes) << 64) / u128::from(span)) as u64;
        Scale {
            form,
            homes,
            span,
            homes_of_place,
            places_of_home: (u128::from(span) << 64) / u128::from(homes),
        }
    }

    pub fn lines(&self) -> usize {
        self.form.lines(self.homes) as usize
    }

    /// Where an address is.
    #[inline]
    fn place(&self, address: u64) -> u64 {
        high_product(address, self.span)
    }

    #[inline(always)]
    pub fn home(&self, place: u64) -> usize {
        high_product(place, self.homes_of_place) as usize
    }

    /// Where a home begins, or a little before that: less than a home's width by far.
    #[inline(always)]
    pub fn first_place(&self, home: usize) -> u64 {
        ((home as u128 * self.places_of_home) >> 64) as u64
    }

    /// Places of a home.
    pub fn width(&self) -> u64 {
        (self.places_of_home >> 64) as u64
    }

    /// The place of an entry that is one of those behind `first`, as many as an entry's bits tell apart.
    #[inline(always)]
    pub fn place_from(&self, first: u64, entry: u64) -> u64 {
        let Form { bits, growth } = self.form;
        first + ((entry >> (bits - growth)).wrapping_sub(first) & ((1 << growth) - 1))
    }

    #[inline]
    fn entry(&self, place: u64, print: u64) -> u64 {
        let Form { bits, growth } = self.form;
        let low = print & (u64::MAX >> (64 - (bits - growth)));
        // The lower half is never zero, which marks a free place.
        (low | u64::from(low as u32 == 0)) | (place & ((1 << growth) - 1)) << (bits - growth)
    }
}

pub struct Segment {
    lines: Lines,
    room: Room,
    /// What found no place: the line of its home, and the entry.
    aside: Vec<(usize, u64)>,
    form: Form,
    scale: Scale,
    /// Beyond so many homes the table must be filled anew.
    homes_max: u64,
    len: u64,
    capacity: u64,
    /// Comparisons made by new states before the table was last empty, and how many it has had since then that were
    /// counted before.
    comparisons_before: f64,
    counted: u64,
}

impl Segment {
    /// An empty table that may grow to `lines_max` lines, and to `first_max` homes before it is filled anew the first
    /// time; none where the system has no room.
    pub fn new(form: Form, homes: u64, first_max: u64, lines_max: u64) -> Option<Segment> {
        let mut segment = Segment {
            lines: Lines::new(lines_max.max(form.lines(homes)))?,
            room: Room::default(),
            aside: Vec::new(),
            form,
            scale: Scale::new(form, homes, homes << (form.growth - HOME_BITS)),
            homes_max: 0,
            len: 0,
            capacity: 0,
            comparisons_before: 0.0,
            counted: 0,
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
        self.comparisons_before = self.comparisons();
        (self.len, self.counted) = (0, 0);
        self.lines.fill(Line([0; LINE_BYTES]));
        self.lines.make_huge();
        self.aside.clear();
        let span = homes << (self.form.growth - HOME_BITS);
        self.homes_max = span >> PLACE_BITS;
        self.set_scale(Scale::new(self.form, homes, span));
        (0..self.lines.len()).for_each(|line| self.room.set(line, true));
        true
    }

    fn set_scale(&mut self, scale: Scale) {
        self.scale = scale;
        self.capacity = scale.homes * self.form.entries_per_line() as u64 * LOAD_PERCENT_MAX / 100;
        self.room.grow(self.lines.len());
    }

    pub fn homes(&self) -> u64 {
        self.scale.homes
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn lines(&self) -> u64 {
        self.lines.len() as u64
    }

    /// Comparisons made by new states, in units of `2^-bits`.
    pub fn comparisons(&self) -> f64 {
        let pairs = |len: u64| len as f64 * len as f64 / 2.0;
        let weight = (1u64 << self.form.growth) as f64 / self.scale.span as f64;
        self.comparisons_before + (pairs(self.len) - pairs(self.counted)) * weight
    }

    /// All states so far were counted when they were new.
    pub fn take_as_counted(&mut self) {
        self.counted = self.len;
    }

    /// The home's line, and the entry.
    #[inline]
    fn place(&self, address: u64, print: u64) -> (usize, u64) {
        let place = self.scale.place(address);
        (self.scale.home(place) + REACH, self.scale.entry(place, print))
    }

    /// Asks for the home's line, and for the line before it if wanted.
    #[inline]
    pub fn prefetch(&self, address: u64, before: bool) {
        let at = self.scale.home(self.scale.place(address)) + REACH;
        prefetch(&self.lines[at]);
        if before {
            prefetch(&self.lines[at - 1]);
        }
    }

    /// Whether the home's line alone tells that the state is old. Where it does not and is full, asks for the lines that will
    /// be needed: those that it names, of which there are mostly no more than two, and the one with room. Neither can be
    /// foreseen, so the same number of lines is asked for always; where none is needed, it is the line itself.
    #[inline(always)]
    pub fn old_at_home<const E: usize>(&self, address: u64, print: u64) -> bool {
        let (at, entry) = self.place(address, print);
        let line = &self.lines[at];
        let old = holds::<E>(line, entry);
        let needed = !old && is_full::<E>(line);
        let elsewhere = u32::from(line.0[ELSEWHERE] & (ASIDE - 1));
        let nearest = elsewhere.trailing_zeros() as usize + 1;
        let farthest = (u32::BITS - elsewhere.leading_zeros()) as usize;
        let known = |distance: usize| if needed && elsewhere != 0 { distance } else { 0 };
        prefetch(&self.lines[at - known(nearest)]);
        prefetch(&self.lines[at - known(farthest)]);
        let room = if needed { self.room.before(at).unwrap_or(0) } else { 0 };
        prefetch(&self.lines[at - room]);
        // Where that is too far, an entry moves there from the line that is just within its reach.
        prefetch(&self.lines[at - room + if room > REACH { REACH } else { 0 }]);
        old
    }

    /// `E` is the size of an entry.
    #[inline]
    pub fn insert<const E: usize>(&mut self, address: u64, print: u64) -> Insert {
        let (at, entry) = self.place(address, print);
        let line = &self.lines[at];
        if holds::<E>(line, entry) {
            return Insert::Old;
        }
        if is_full::<E>(line) {
            return self.insert_elsewhere::<E>(at, entry);
        }
        // Only a new state needs room; old ones are known however full the table is.
        if self.len >= self.capacity {
            return Insert::Full;
        }
        self.add::<E>(at, entry);
        Insert::New
    }

    /// Puts an entry into a line that has room.
    #[inline(always)]
    fn add<const E: usize>(&mut self, at: usize, entry: u64) {
        let filled = filled::<E>(&self.lines[at]);
        put::<E>(&mut self.lines[at], filled, entry);
        self.room.set(at, filled + 1 < entries_per_line(E));
        self.len += 1;
    }

    /// Looks in the lines that a full home names, and takes the entry in.
    fn insert_elsewhere<const E: usize>(&mut self, at: usize, entry: u64) -> Insert {
        let mut elsewhere = self.lines[at].0[ELSEWHERE];
        if elsewhere & ASIDE != 0 && self.aside.contains(&(at, entry)) {
            return Insert::Old;
        }
        elsewhere &= !ASIDE;
        while elsewhere != 0 {
            if holds::<E>(&self.lines[at - 1 - elsewhere.trailing_zeros() as usize], entry) {
                return Insert::Old;
            }
            elsewhere &= elsewhere - 1;
        }
        if self.len >= self.capacity {
            return Insert::Full;
        }
        self.add_elsewhere::<E>(at, entry);
        Insert::New
    }

    /// Puts an entry whose home is full where the home reaches, or aside.
    fn add_elsewhere<const E: usize>(&mut self, at: usize, entry: u64) {
        match self.room.before(at) {
            Some(distance) if distance <= REACH => {
                self.add::<E>(at - distance, entry);
                say_elsewhere(&mut self.lines[at], distance);
            }
            Some(distance) if self.make_way::<E>(at, at - distance, entry) => {}
            _ => self.put_aside(at, entry),
        }
    }

    #[cold]
    fn put_aside(&mut self, at: usize, entry: u64) {
        self.aside.push((at, entry));
        self.lines[at].0[ELSEWHERE] |= ASIDE;
        self.len += 1;
    }

    /// Takes in an entry whose home at `at` does not reach as far as `room`, where the next free place is: moves others on.
    /// False, and nothing has changed, where they do not reach that far either.
    fn make_way<const E: usize>(&mut self, at: usize, room: usize, entry: u64) -> bool {
        let (mut moves, mut count, mut to) = ([(0, 0, 0); MOVES_MAX], 0, room);
        while at - to > REACH {
            let Some(next) = self.movable::<E>(to).filter(|_| count < MOVES_MAX) else { return false };
            moves[count] = next;
            (count, to) = (count + 1, next.0);
        }
        let mut free = (room, filled::<E>(&self.lines[room]));
        self.room.set(room, free.1 + 1 < entries_per_line(E));
        for &(line, place, home) in &moves[..count] {
            let moved = get::<E>(&self.lines[line], place);
            put::<E>(&mut self.lines[free.0], free.1, moved);
            say_elsewhere(&mut self.lines[home], home - free.0);
            free = (line, place);
        }
        put::<E>(&mut self.lines[free.0], free.1, entry);
        say_elsewhere(&mut self.lines[at], at - free.0);
        self.len += 1;
        true
    }

    /// An entry that may move to a line before its own, the farther from there the better: its line, its place there, and
    /// the line of its home.
    fn movable<const E: usize>(&self, to: usize) -> Option<(usize, usize, usize)> {
        // Homes up to the one whose line is `to + REACH` reach as far as `to`.
        let end = self.scale.first_place(to + 1);
        for line in (to + 1..=to + REACH).rev() {
            let first = self.scale.first_place(line.saturating_sub(REACH));
            let mut reaching = 0u32;
            for place in 0..entries_per_line(E) {
                let of_entry = self.scale.place_from(first, get::<E>(&self.lines[line], place));
                reaching |= u32::from(of_entry < end) << place;
            }
            if reaching != 0 {
                let place = reaching.trailing_zeros() as usize;
                let of_entry = self.scale.place_from(first, get::<E>(&self.lines[line], place));
                return Some((line, place, self.scale.home(of_entry) + REACH));
            }
        }
        None
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

    fn spread<const E: usize>(&mut self, homes: u64) {
        let (old, new) = (self.scale, Scale::new(self.form, homes, self.scale.span));
        let was_aside = std::mem::take(&mut self.aside);
        self.set_scale(new);
        let homeless = Spread::<E>::new(&mut self.lines, &mut self.room, old, new).run();
        self.len -= (was_aside.len() + homeless.len()) as u64;
        for (at, entry) in homeless {
            self.take_back::<E>(at, entry);
        }
        for (at, entry) in was_aside {
            let place = old.place_from(old.first_place(at - REACH), entry);
            self.take_back::<E>(new.home(place) + REACH, entry);
        }
    }

    /// Takes in an entry that the table has had before.
    fn take_back<const E: usize>(&mut self, at: usize, entry: u64) {
        if is_full::<E>(&self.lines[at]) {
            self.add_elsewhere::<E>(at, entry);
        } else {
            self.add::<E>(at, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::prng::Prng;

    const FORM: Form = Form { bits: 56, growth: 4 + PLACE_BITS + HOME_BITS };

    #[test]
    fn entries_stand_where_their_homes_say_through_every_growth() {
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
                check(&table);
            }
            if seen.len() % 500 == 0 {
                assert!(seen.iter().all(|&(a, p)| table.insert::<7>(a, p) == Insert::Old));
            }
        }
        assert_eq!(table.len(), seen.len() as u64);
        assert!(table.aside.len() < 10, "{} of {} aside", table.aside.len(), seen.len());
        assert!(!table.grow((64 << 4) + 1), "the bits for growing are used up");
    }

    #[test]
    fn many_states_with_one_home_go_as_far_as_it_reaches_and_then_aside() {
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
            check(&table);
        }
        assert!(seen.len() > 150, "{} states", seen.len());
        assert!(!table.aside.is_empty(), "some find no place");
        assert!(seen.iter().all(|&(a, p)| table.insert::<7>(a, p) == Insert::Old));
        let aside = table.aside.len();
        assert!(table.grow(128));
        check(&table);
        assert!(table.aside.len() < aside, "there is more room now");
        assert!(seen.iter().all(|&(a, p)| table.insert::<7>(a, p) == Insert::Old));
    }

    #[test]
    fn comparisons_are_pairs_of_states() {
        let mut table = Segment::new(FORM, 64, u64::MAX, 1 << 12).expect("room");
        let mut prng = Prng::new(2);
        (0..100).for_each(|_| assert!(table.insert::<7>(prng.next_u64(), prng.next_u64()) == Insert::New));
        // A pair is equal where it has the same of 64 homes, and all bits but those that tell eight homes apart.
        let wanted = 100.0 * 100.0 / 2.0 * 8.0 / 64.0;
        assert_eq!(table.comparisons(), wanted);
        assert!(table.make_empty(128));
        (0..10).for_each(|_| assert!(table.insert::<7>(prng.next_u64(), prng.next_u64()) == Insert::New));
        table.take_as_counted();
        assert_eq!(table.comparisons(), wanted, "those had been counted");
    }

    /// The line of the home of an entry, by the line where it stands.
    fn home_of(scale: &Scale, line: usize, entry: u64) -> usize {
        scale.home(scale.place_from(scale.first_place(line.saturating_sub(REACH)), entry)) + REACH
    }

    fn check(table: &Segment) {
        let (mut count, lines) = (table.aside.len(), &table.lines);
        for (at, line) in lines.iter().enumerate() {
            let filled = filled::<7>(line);
            count += filled;
            let is_full = filled == entries_per_line(7);
            assert_eq!(table.room.before(at + 1) == Some(1), !is_full);
            assert!(is_full || line.0[ELSEWHERE] == 0, "only a full line has entries elsewhere");
            for place in 0..filled {
                let home = home_of(&table.scale, at, get::<7>(line, place));
                assert!(home >= at && home - at <= REACH, "entries stand within reach");
                assert!(home == at || lines[home].0[ELSEWHERE] >> (home - at - 1) & 1 == 1, "home knows");
            }
        }
        assert!(table.aside.iter().all(|&(at, _)| lines[at].0[ELSEWHERE] & ASIDE != 0));
        assert_eq!(count as u64, table.len());
    }
}
