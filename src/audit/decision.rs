//! Sets of assignments as ordered, reduced decision diagrams, as small as they can be written.
//!
//! In: variables by number, which is also their order. Out: sets; equal sets have equal numbers. Everything is one
//! operation, "if f then g else h" (Bryant, "Graph-based algorithms for Boolean function manipulation", 1986), with what
//! is known kept in one table; beside it stand substitution, projection and the variables that a set depends on.
//!
//! Invariant: a node's children have smaller numbers and later variables, and differ; no two nodes are alike. So numbers
//! above a mark can be forgotten when nothing that is kept refers to them: that is all the collection of garbage there is.
//! It ends because every call goes to later variables; `Limit` bounds nodes and steps. Recursion is as deep as there
//! are variables. Cost: one step for each triple of nodes that meet.
//!
//! This is not the package that proofs are found with, and shares nothing with it: it checks that package.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use fxhash::{FxHashMap, FxHashSet};

/// A set: 0 is empty, 1 has everything, others are nodes.
pub type Set = u32;
pub const NONE: Set = 0;
pub const ALL: Set = 1;

/// Why a computation was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enough(pub String);

pub type May<T> = Result<T, Enough>;

/// How much may be done.
pub struct Limit<'a> {
    pub nodes_max: usize,
    /// Says why to stop, if so; asked every few thousand steps.
    pub stop: &'a dyn Fn() -> Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Set,
    high: Set,
}

/// Hashes few small numbers: those of nodes differ in their low bits, which have to reach all others.
#[derive(Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        // Numbers that stand in a row arrive as their bytes.
        let (words, rest) = bytes.as_chunks::<4>();
        words.iter().for_each(|&word| self.write_u32(u32::from_ne_bytes(word)));
        rest.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(29) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

type Table<K> = HashMap<K, Set, BuildHasherDefault<Mixer>>;

/// All sets of one check.
pub struct Sets<'a> {
    nodes: Vec<Node>,
    known: Table<Node>,
    /// What "if, then, else" came to.
    done: Table<(Set, Set, Set)>,
    limit: Limit<'a>,
    steps: u64,
    /// The most nodes there were.
    pub nodes_most: usize,
}

/// Steps between two questions whether to stop.
const STEPS_UNASKED: u64 = 1 << 14;
/// Results that are kept; beyond, all are forgotten.
const DONE_MAX: usize = 1 << 21;
/// The variable of the two constants: after all others.
const END: u32 = u32::MAX;

impl<'a> Sets<'a> {
    pub fn new(limit: Limit<'a>) -> Sets<'a> {
        let constant = |at| Node { variable: END, low: at, high: at };
        let nodes = vec![constant(NONE), constant(ALL)];
        let (known, done) = (Table::default(), Table::default());
        Sets { nodes, known, done, limit, steps: 0, nodes_most: 2 }
    }

    /// One step of work.
    pub fn tick(&mut self) -> May<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_UNASKED)
            && let Some(why) = (self.limit.stop)()
        {
            return Err(Enough(why));
        }
        Ok(())
    }

    /// The first variable that a set asks; the greatest number there is for the two constants.
    pub fn variable(&self, set: Set) -> u32 {
        self.nodes[set as usize].variable
    }

    /// The part of a set where a variable has a value, which stands before all others that the set asks.
    pub fn branch(&self, set: Set, variable: u32, value: bool) -> Set {
        let node = self.nodes[set as usize];
        match (node.variable == variable, value) {
            (false, _) => set,
            (true, false) => node.low,
            (true, true) => node.high,
        }
    }

    fn node(&mut self, variable: u32, low: Set, high: Set) -> May<Set> {
        if low == high {
            return Ok(low);
        }
        let node = Node { variable, low, high };
        if let Some(&set) = self.known.get(&node) {
            return Ok(set);
        }
        if self.nodes.len() >= self.limit.nodes_max {
            return Err(Enough(format!("more than {} nodes", self.limit.nodes_max)));
        }
        let set = self.nodes.len() as Set;
        self.nodes.push(node);
        self.nodes_most = self.nodes_most.max(self.nodes.len());
        self.known.insert(node, set);
        Ok(set)
    }

    /// Where a variable has a value.
    pub fn literal(&mut self, variable: u32, value: bool) -> May<Set> {
        let [low, high] = if value { [NONE, ALL] } else { [ALL, NONE] };
        self.node(variable, low, high)
    }

    /// What is in `then` where it is in `set`, and in `otherwise` where it is not.
    pub fn choose(&mut self, set: Set, then: Set, otherwise: Set) -> May<Set> {
        match (set, then, otherwise) {
            (ALL, _, _) => return Ok(then),
            (NONE, _, _) => return Ok(otherwise),
            _ if then == otherwise => return Ok(then),
            (_, ALL, NONE) => return Ok(set),
            _ => {}
        }
        let key = (set, then, otherwise);
        if let Some(&known) = self.done.get(&key) {
            return Ok(known);
        }
        self.tick()?;
        let variable = self.variable(set).min(self.variable(then)).min(self.variable(otherwise));
        let mut halves = [NONE; 2];
        for (half, value) in halves.iter_mut().zip([false, true]) {
            let [a, b, c] = [set, then, otherwise].map(|each| self.branch(each, variable, value));
            *half = self.choose(a, b, c)?;
        }
        let result = self.node(variable, halves[0], halves[1])?;
        if self.done.len() >= DONE_MAX {
            self.done.clear();
        }
        self.done.insert(key, result);
        Ok(result)
    }

    pub fn and(&mut self, a: Set, b: Set) -> May<Set> {
        // Both orders are one question.
        let (a, b) = (a.min(b), a.max(b));
        self.choose(a, b, NONE)
    }

    pub fn or(&mut self, a: Set, b: Set) -> May<Set> {
        let (a, b) = (a.min(b), a.max(b));
        self.choose(a, ALL, b)
    }

    pub fn not(&mut self, a: Set) -> May<Set> {
        self.choose(a, NONE, ALL)
    }

    /// The union of many, two by two.
    pub fn any(&mut self, mut sets: Vec<Set>) -> May<Set> {
        while sets.len() > 1 {
            let mut joined = Vec::with_capacity(sets.len().div_ceil(2));
            for pair in sets.chunks(2) {
                joined.push(match *pair {
                    [a, b] => self.or(a, b)?,
                    _ => pair[0],
                });
            }
            sets = joined;
        }
        Ok(sets.pop().unwrap_or(NONE))
    }

    /// The set of assignments that are in `set` once some variables have the values that other sets say.
    pub fn after(&mut self, set: Set, change: &FxHashMap<u32, Set>) -> May<Set> {
        self.after_known(set, change, &mut FxHashMap::default())
    }

    fn after_known(
        &mut self,
        set: Set,
        change: &FxHashMap<u32, Set>,
        known: &mut FxHashMap<Set, Set>,
    ) -> May<Set> {
        if set <= ALL || change.is_empty() {
            return Ok(set);
        }
        if let Some(&result) = known.get(&set) {
            return Ok(result);
        }
        self.tick()?;
        let Node { variable, low, high } = self.nodes[set as usize];
        let condition = match change.get(&variable) {
            Some(&condition) => condition,
            None => self.literal(variable, true)?,
        };
        let then = if condition == NONE { NONE } else { self.after_known(high, change, known)? };
        let otherwise = if condition == ALL { NONE } else { self.after_known(low, change, known)? };
        let result = self.choose(condition, then, otherwise)?;
        known.insert(set, result);
        Ok(result)
    }

    /// The assignments that can be changed into one of the set by other values of some variables.
    pub fn project(&mut self, set: Set, away: &dyn Fn(u32) -> bool) -> May<Set> {
        self.project_known(set, away, &mut FxHashMap::default())
    }

    fn project_known(
        &mut self,
        set: Set,
        away: &dyn Fn(u32) -> bool,
        known: &mut FxHashMap<Set, Set>,
    ) -> May<Set> {
        if set <= ALL {
            return Ok(set);
        }
        if let Some(&result) = known.get(&set) {
            return Ok(result);
        }
        self.tick()?;
        let Node { variable, low, high } = self.nodes[set as usize];
        let low = self.project_known(low, away, known)?;
        let high = self.project_known(high, away, known)?;
        let result = if away(variable) {
            self.or(low, high)?
        } else {
            let condition = self.literal(variable, true)?;
            self.choose(condition, high, low)?
        };
        known.insert(set, result);
        Ok(result)
    }

    /// The variables that a set depends on, in order.
    pub fn support(&self, set: Set) -> Vec<u32> {
        let mut variables: Vec<u32> =
            self.below(set).into_iter().map(|each| self.variable(each)).filter(|&each| each != END).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// How many nodes a set has.
    pub fn size(&self, set: Set) -> usize {
        self.below(set).len()
    }

    fn below(&self, set: Set) -> FxHashSet<Set> {
        let mut seen = FxHashSet::default();
        let mut open = vec![set];
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                let node = self.nodes[at as usize];
                open.extend([node.low, node.high].into_iter().filter(|&child| child > ALL));
            }
        }
        seen
    }

    /// A mark to go back to.
    pub fn mark(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets every set that was made since a mark.
    pub fn forget(&mut self, mark: usize) {
        for node in self.nodes.drain(mark..) {
            self.known.remove(&node);
        }
        self.done = Table::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::prng::Prng;

    const VARIABLES: u32 = 6;

    fn sets() -> Sets<'static> {
        Sets::new(Limit { nodes_max: 100_000, stop: &|| None })
    }

    /// A truth table: bit n tells of the assignment whose variables are the bits of n.
    type Bits = u64;

    fn table(sets: &Sets, set: Set) -> Bits {
        let holds = |assignment: u32| {
            let mut at = set;
            while at > ALL {
                let variable = sets.variable(at);
                at = sets.branch(at, variable, assignment >> variable & 1 == 1);
            }
            u64::from(at == ALL)
        };
        (0..1 << VARIABLES).fold(0, |table, assignment| table | holds(assignment) << assignment)
    }

    fn of_table(sets: &mut Sets, table: Bits) -> Set {
        let mut cubes = Vec::new();
        for assignment in (0..1u32 << VARIABLES).filter(|at| table >> at & 1 == 1) {
            let mut cube = ALL;
            for variable in 0..VARIABLES {
                let literal = sets.literal(variable, assignment >> variable & 1 == 1).unwrap();
                cube = sets.and(cube, literal).unwrap();
            }
            cubes.push(cube);
        }
        sets.any(cubes).unwrap()
    }

    /// A table that depends on few variables now and then.
    fn random(prng: &mut Prng) -> Bits {
        let table = prng.next_u64() & prng.next_u64();
        if prng.index(2) == 0 { table } else { table & 0xffff_ffff | table << 32 }
    }

    fn with(assignment: u32, variable: u32, value: bool) -> u32 {
        assignment & !(1 << variable) | u32::from(value) << variable
    }

    #[test]
    fn operations_are_those_of_truth_tables() {
        let mut sets = sets();
        let mut prng = Prng::new(7);
        for _ in 0..300 {
            let tables = [random(&mut prng), random(&mut prng), random(&mut prng)];
            let [a, b, c] = tables.map(|each| of_table(&mut sets, each));
            let [ta, tb, tc] = tables;
            assert_eq!(table(&sets, a), ta);
            let all = [
                (sets.and(a, b).unwrap(), ta & tb),
                (sets.or(a, b).unwrap(), ta | tb),
                (sets.not(a).unwrap(), !ta),
                (sets.choose(a, b, c).unwrap(), ta & tb | !ta & tc),
                (sets.any(vec![a, b, c]).unwrap(), ta | tb | tc),
            ];
            for (set, expected) in all {
                assert_eq!(table(&sets, set), expected);
                assert_eq!(set, of_table(&mut sets, expected), "equal sets have equal numbers");
            }
        }
    }

    #[test]
    fn projection_and_substitution_are_those_of_truth_tables() {
        let mut sets = sets();
        let mut prng = Prng::new(8);
        for _ in 0..300 {
            let (ta, tb) = (random(&mut prng), random(&mut prng));
            let (a, b) = (of_table(&mut sets, ta), of_table(&mut sets, tb));
            let (v, w) = (prng.index(6) as u32, prng.index(6) as u32);
            let at = |table: Bits, assignment: u32| table >> assignment & 1 == 1;
            let expected = |holds: &dyn Fn(u32) -> bool| {
                (0..1 << VARIABLES).fold(0, |table, each| table | u64::from(holds(each)) << each)
            };
            let projected = sets.project(a, &|each| each == v).unwrap();
            let either = |each| at(ta, with(each, v, false)) || at(ta, with(each, v, true));
            assert_eq!(table(&sets, projected), expected(&either));
            let mut change = FxHashMap::default();
            change.insert(v, b);
            change.insert(w, if v == w { b } else { ALL });
            let after = sets.after(a, &change).unwrap();
            let changed = |each: u32| {
                let first = with(each, w, v != w || at(tb, each));
                at(ta, with(first, v, at(tb, each)))
            };
            assert_eq!(table(&sets, after), expected(&changed));
            let asked: Vec<u32> = (0..VARIABLES)
                .filter(|&each| {
                    expected(&|x| at(ta, with(x, each, true))) != ta || {
                        expected(&|x| at(ta, with(x, each, false))) != ta
                    }
                })
                .collect();
            assert_eq!(sets.support(a), asked);
        }
    }

    #[test]
    fn what_is_forgotten_is_made_anew() {
        let mut sets = sets();
        let kept = of_table(&mut sets, 0x1234_5678_9abc_def0);
        let mark = sets.mark();
        let first = of_table(&mut sets, 0xfeed_beef_0bad_cafe);
        sets.forget(mark);
        assert_eq!(table(&sets, kept), 0x1234_5678_9abc_def0);
        assert_eq!(of_table(&mut sets, 0xfeed_beef_0bad_cafe), first);
        assert_eq!(of_table(&mut sets, 0x1234_5678_9abc_def0), kept);
    }

    #[test]
    fn too_much_is_told() {
        let mut small = Sets::new(Limit { nodes_max: 5, stop: &|| None });
        let made: May<Vec<Set>> = (0..9).map(|variable| small.literal(variable, true)).collect();
        assert!(made.is_err());
    }
}
