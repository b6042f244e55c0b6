//! Spreads a table of the compact store over more lines, in place: what growing is made of.
//!
//! From the last line to the first, each line's entries are told apart by their new homes and gathered there; a new home is
//! written when no line that is still to be read can have an entry for it. New homes are never before old ones, so what is
//! written never reaches what is still to be read, and nothing is moved twice. What a home has no place for goes to the
//! nearest lines before it, as when states are inserted, but home after home: entries that may not go further come first, then
//! a line's own.
//!
//! How many entries a line has, and for which homes, cannot be foreseen, and a wrong guess costs the processor as much as
//! moving several; so free places are read like others, and counted as nothing. Cost: about ten cycles an entry.

use super::entries::{REACH, entries_per_line, get, say_elsewhere, write_line};
use super::room::Room;
use super::segment::Scale;
use crate::base::lines::Lines;
use crate::base::prefetch::prefetch;

/// New homes gathered at a time: those that eight old homes, and what is written late, are spread over at most.
const GATHERED: usize = 32;
const LINE_ENTRIES_MAX: usize = entries_per_line(5);
/// More than a home may have entries: what two old homes have, in as many lines as they reach.
const HOME_ENTRIES_MAX: usize = 2 * (REACH + 1) * LINE_ENTRIES_MAX;
/// Lines that are asked for before they are read.
const LINES_AHEAD: usize = 24;

/// A table on its way to more homes.
pub struct Spread<'t, const E: usize> {
    lines: &'t mut Lines,
    room: &'t mut Room,
    old: Scale,
    new: Scale,
    /// The entries gathered for each new home, by its last bits; zeros behind them.
    gathered: Box<[[u64; HOME_ENTRIES_MAX]; GATHERED]>,
    counts: [u32; GATHERED],
    /// Entries whose home is full, with its line; the first may go least far from here.
    displaced: Displaced,
    /// Entries that found no place, with their homes' lines.
    homeless: Vec<(usize, u64)>,
}

impl<'t, const E: usize> Spread<'t, E> {
    /// The lines are as many as `new` needs already; those that are not in use yet may hold anything.
    pub fn new(lines: &'t mut Lines, room: &'t mut Room, old: Scale, new: Scale) -> Spread<'t, E> {
        let gathered = vec![[0; HOME_ENTRIES_MAX]; GATHERED].try_into().expect("as many as that");
        let (displaced, homeless) = (Displaced::default(), Vec::new());
        Spread { lines, room, old, new, gathered, counts: [0; GATHERED], displaced, homeless }
    }

    /// Moves all entries; which ones found no place, and their homes' lines.
    pub fn run(mut self) -> Vec<(usize, u64)> {
        assert!(
            self.new.homes > self.old.homes && self.new.homes <= 2 * self.old.homes,
            "at most twice as many homes"
        );
        let mut next = self.new.homes as usize;
        for at in (0..self.old.lines()).rev() {
            self.gather(at);
            // The home at `at` and all behind it were read. One home more is left, as first places are rounded down.
            let read = self.new.home(self.old.first_place(at) + self.old.width()) + 1;
            while next > read {
                next -= 1;
                self.write_home(next);
            }
        }
        (0..next).rev().for_each(|home| self.write_home(home));
        // All was gathered; nothing is for the lines before the first home.
        (0..REACH).rev().for_each(|at| self.write(at, 0));
        while let Some(entry) = self.displaced.first() {
            self.homeless.push(entry);
            self.displaced.drop_first();
        }
        self.homeless
    }

    /// Reads a line.
    #[inline]
    fn gather(&mut self, at: usize) {
        prefetch(&self.lines[at.saturating_sub(LINES_AHEAD)]);
        let line = &self.lines[at];
        let first = self.old.first_place(at.saturating_sub(REACH));
        for place in 0..entries_per_line(E) {
            let entry = get::<E>(line, place);
            let to = self.new.home(self.old.place_from(first, entry)) % GATHERED;
            self.gathered[to][self.counts[to] as usize] = entry;
            self.counts[to] += u32::from(entry != 0);
        }
    }

    /// Writes a home's line.
    #[inline]
    fn write_home(&mut self, home: usize) {
        let (at, of, each) = (home + REACH, home % GATHERED, entries_per_line(E));
        let count = self.counts[of] as usize;
        if count > each || !self.displaced.is_empty() {
            return self.write(at, of);
        }
        self.counts[of] = 0;
        let entries = &mut self.gathered[of][..each];
        write_line::<E>(&mut self.lines[at], entries);
        entries.fill(0);
        self.room.set(at, count < each);
    }

    /// Writes a line: those that must be here, those gathered for it, and others that found no place so far.
    fn write(&mut self, at: usize, of: usize) {
        let (each, count) = (entries_per_line(E), std::mem::take(&mut self.counts[of]) as usize);
        let (mut entries, mut taken) = ([0; 2 * LINE_ENTRIES_MAX], 0);
        while let Some((home, entry)) = self.displaced.first()
            && home - at == REACH
        {
            if taken < each {
                entries[taken] = entry;
                taken += 1;
                say_elsewhere(&mut self.lines[home], home - at);
            } else {
                self.homeless.push((home, entry));
            }
            self.displaced.drop_first();
        }
        // As many as a line has are copied however many there are: the others are zeros, or written over.
        let own = &mut self.gathered[of];
        entries[taken..taken + LINE_ENTRIES_MAX].copy_from_slice(&own[..LINE_ENTRIES_MAX]);
        let here = count.min(each - taken);
        taken += here;
        for &entry in &own[here..count] {
            self.displaced.push((at, entry));
        }
        own[..LINE_ENTRIES_MAX].fill(0);
        if count > LINE_ENTRIES_MAX {
            own[LINE_ENTRIES_MAX..count].fill(0);
        }
        while taken < each
            && let Some((home, entry)) = self.displaced.first()
        {
            entries[taken] = entry;
            taken += 1;
            say_elsewhere(&mut self.lines[home], home - at);
            self.displaced.drop_first();
        }
        write_line::<E>(&mut self.lines[at], &entries);
        self.room.set(at, taken < each);
    }
}

/// A queue of few, mostly empty.
#[derive(Default)]
struct Displaced {
    all: Vec<(usize, u64)>,
    gone: usize,
}

impl Displaced {
    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    #[inline(always)]
    fn first(&self) -> Option<(usize, u64)> {
        self.all.get(self.gone).copied()
    }

    #[inline(always)]
    fn drop_first(&mut self) {
        self.gone += 1;
        if self.gone == self.all.len() {
            self.all.clear();
            self.gone = 0;
        }
    }

    #[inline(always)]
    fn push(&mut self, entry: (usize, u64)) {
        self.all.push(entry);
    }
}
