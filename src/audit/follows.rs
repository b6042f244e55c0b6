//! Whether everything that is in all of some sets is in another set, too, perhaps after some variables got new values.
//!
//! In: sets; a claim; values that variables have when the claim is looked at. Out: nothing, or an assignment that is in
//! all sets and, so changed, not in the claim. All diagrams are walked at once, from the first variable to the last,
//! and no new one is made: the intersection of large sets is never built, and a variable that gets a new value just
//! lets the claim go one way while the sets go both.
//!
//! Invariant: a combination of nodes that was left behind holds. It ends because every step goes to later variables.
//! Cost: one step for each combination of nodes that meet; none below a node that is a set and the claim at once. Most
//! questions are about few sets: their combinations are kept in place (`Few`), which makes a step several times cheaper.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash};

use super::decision::{ALL, May, Mixer, NONE, Set, Sets};

/// An assignment, as far as it matters: variables in order.
pub type Path = Vec<(u32, bool)>;

/// Nodes that meet: those of the sets, each once and in order, then the claim's.
trait Combination: Eq + Hash {
    fn of(given: impl Iterator<Item = Set>, claim: Set) -> Self;
    fn nodes(&self) -> &[Set];
}

/// Those that say nothing are left out.
impl Combination for Box<[Set]> {
    fn of(given: impl Iterator<Item = Set>, claim: Set) -> Self {
        let mut all: Vec<Set> = given.filter(|&set| set != ALL).collect();
        all.sort_unstable();
        all.dedup();
        all.push(claim);
        all.into_boxed_slice()
    }

    fn nodes(&self) -> &[Set] {
        self
    }
}

/// Sets that a small combination has room for.
const FEW: usize = 3;

/// At most `FEW` sets; where there are fewer, others that say nothing.
#[derive(PartialEq, Eq, Hash)]
struct Few([Set; FEW + 1]);

impl Combination for Few {
    fn of(given: impl Iterator<Item = Set>, claim: Set) -> Self {
        let mut all = [ALL; FEW + 1];
        let [first, second, third, last] = &mut all;
        given.zip([&mut *first, &mut *second, &mut *third]).for_each(|(set, place)| *place = set);
        *last = claim;
        let order = |a: &mut Set, b: &mut Set| match (*a).cmp(b) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => *b = ALL,
            std::cmp::Ordering::Greater => std::mem::swap(a, b),
        };
        // What is twice becomes a set that says nothing, and goes to the front as the least but one.
        order(first, second);
        order(second, third);
        order(first, second);
        order(second, third);
        order(first, second);
        order(second, third);
        Few(all)
    }

    fn nodes(&self) -> &[Set] {
        &self.0
    }
}

struct Walk<'s, 'a, C> {
    sets: &'s mut Sets<'a>,
    /// Variables with their new values, in order.
    fixed: &'s [(u32, bool)],
    /// Combinations that hold.
    held: HashSet<C, BuildHasherDefault<Mixer>>,
    path: Path,
}

/// An assignment in all of `given` that is not in `claim` once the variables in `fixed` have their values.
pub fn counterexample(
    sets: &mut Sets,
    given: &[Set],
    claim: Set,
    fixed: &[(u32, bool)],
) -> May<Option<Path>> {
    debug_assert!(fixed.is_sorted_by(|a, b| a.0 < b.0));
    match given.len() <= FEW {
        true => walk::<Few>(sets, given, claim, fixed),
        false => walk::<Box<[Set]>>(sets, given, claim, fixed),
    }
}

fn walk<C: Combination>(
    sets: &mut Sets,
    given: &[Set],
    claim: Set,
    fixed: &[(u32, bool)],
) -> May<Option<Path>> {
    let mut walk = Walk { sets, fixed, held: HashSet::default(), path: Path::new() };
    let holds = walk.holds(C::of(given.iter().copied(), claim))?;
    Ok((!holds).then_some(walk.path))
}

/// Whether nothing is in all of these sets.
pub fn is_empty(sets: &mut Sets, given: &[Set]) -> May<bool> {
    Ok(counterexample(sets, given, NONE, &[])?.is_none())
}

impl<C: Combination> Walk<'_, '_, C> {
    /// Where it does not hold, the path leads there.
    fn holds(&mut self, all: C) -> May<bool> {
        let (&claim, given) = all.nodes().split_last().expect("the claim is there");
        if claim == ALL || given.contains(&NONE) {
            return Ok(true);
        }
        if claim == NONE && given.iter().all(|&set| set == ALL) {
            return Ok(false);
        }
        let variables = all.nodes().iter().map(|&set| self.sets.variable(set));
        let variable = variables.min().expect("the claim is there");
        let unchanged = self.fixed.last().is_none_or(|&(last, _)| last < variable);
        if unchanged && given.contains(&claim) || self.held.contains(&all) {
            return Ok(true);
        }
        self.sets.tick()?;
        let set_to = self.fixed.binary_search_by_key(&variable, |&(each, _)| each);
        let set_to = set_to.ok().map(|at| self.fixed[at].1);
        for value in [false, true] {
            let claimed = self.sets.branch(claim, variable, set_to.unwrap_or(value));
            let sets = &*self.sets;
            let next = C::of(given.iter().map(|&set| sets.branch(set, variable, value)), claimed);
            self.path.push((variable, value));
            if !self.holds(next)? {
                return Ok(false);
            }
            self.path.pop();
        }
        self.held.insert(all);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::decision::Limit;
    use super::*;
    use crate::base::prng::Prng;

    const VARIABLES: u32 = 7;

    fn random(sets: &mut Sets, prng: &mut Prng, cubes: usize) -> Set {
        let mut all = Vec::new();
        for _ in 0..cubes {
            let mut cube = ALL;
            for variable in 0..VARIABLES {
                if prng.index(2) == 0 {
                    let literal = sets.literal(variable, prng.index(2) == 0).unwrap();
                    cube = sets.and(cube, literal).unwrap();
                }
            }
            all.push(cube);
        }
        sets.any(all).unwrap()
    }

    fn has(sets: &Sets, set: Set, assignment: u32) -> bool {
        let mut at = set;
        while at > ALL {
            let variable = sets.variable(at);
            at = sets.branch(at, variable, assignment >> variable & 1 == 1);
        }
        at == ALL
    }

    #[test]
    fn walks_say_what_trying_all_assignments_says() {
        let mut sets = Sets::new(Limit { nodes_max: 1_000_000, stop: &|| None });
        let mut prng = Prng::new(3);
        let mut failed = 0;
        for _ in 0..2_000 {
            let mut given = vec![random(&mut sets, &mut prng, 4), random(&mut sets, &mut prng, 4)];
            let wide = random(&mut sets, &mut prng, 6);
            let claim = sets.or(given[0], wide).unwrap();
            given.extend((prng.index(2) == 0).then_some(claim));
            given.extend((prng.index(3) == 0).then_some(given[1]));
            given.extend((prng.index(4) == 0).then_some(wide));
            let fixed: Vec<(u32, bool)> = (0..VARIABLES)
                .filter(|_| prng.index(4) == 0)
                .map(|variable| (variable, variable % 2 == 0))
                .collect();
            let changed = |each: u32| {
                fixed.iter().fold(each, |each, &(variable, value)| {
                    each & !(1 << variable) | u32::from(value) << variable
                })
            };
            let bad = |sets: &Sets, each: u32| {
                given.iter().all(|&set| has(sets, set, each)) && !has(sets, claim, changed(each))
            };
            let expected = (0..1 << VARIABLES).any(|each| bad(&sets, each));
            let found = counterexample(&mut sets, &given, claim, &fixed).unwrap();
            assert_eq!(found.is_some(), expected);
            if let Some(path) = found {
                let each =
                    path.iter().fold(0, |each, &(variable, value)| each | u32::from(value) << variable);
                assert!(bad(&sets, each), "variables that the path leaves out do not matter");
                failed += 1;
            }
        }
        assert!((200..1_800).contains(&failed), "{failed}");
    }
}
