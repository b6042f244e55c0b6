//! Whether everything that is in all of some sets is in another set, too, perhaps after some variables got new values.
//!
//! In: sets; a claim; values that variables have when the claim is looked at. Out: nothing, or an assignment that is in
//! all sets and, so changed, not in the claim. All diagrams are walked at once, from the first variable to the last,
//! and no new one is made: the intersection of large sets is never built, and a variable that gets a new value just
//! lets the claim go one way while the sets go both.
//!
//! Invariant: a combination of nodes that was left behind holds. It ends because every step goes to later variables.
//! Cost: one step for each combination of nodes that meet; none below a node that is a set and the claim at once.

use fxhash::FxHashSet;

use super::decision::{ALL, May, NONE, Set, Sets};

/// An assignment, as far as it matters: variables in order.
pub type Path = Vec<(u32, bool)>;

struct Walk<'s, 'a> {
    sets: &'s mut Sets<'a>,
    /// Variables with their new values, in order.
    fixed: &'s [(u32, bool)],
    /// Combinations that hold: the sets in order, then the claim.
    held: FxHashSet<Box<[Set]>>,
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
    let mut walk = Walk { sets, fixed, held: FxHashSet::default(), path: Path::new() };
    let holds = walk.holds(together(given.iter().copied(), claim))?;
    Ok((!holds).then_some(walk.path))
}

/// Whether nothing is in all of these sets.
pub fn is_empty(sets: &mut Sets, given: &[Set]) -> May<bool> {
    Ok(counterexample(sets, given, NONE, &[])?.is_none())
}

/// The sets each once and in order, those that say nothing left out; the claim last.
fn together(given: impl Iterator<Item = Set>, claim: Set) -> Box<[Set]> {
    let mut all: Vec<Set> = given.filter(|&set| set != ALL).collect();
    all.sort_unstable();
    all.dedup();
    all.push(claim);
    all.into_boxed_slice()
}

impl Walk<'_, '_> {
    /// Where it does not hold, the path leads there.
    fn holds(&mut self, all: Box<[Set]>) -> May<bool> {
        let (&claim, given) = all.split_last().expect("the claim is there");
        if claim == ALL || given.first() == Some(&NONE) {
            return Ok(true);
        }
        let variables = all.iter().map(|&set| self.sets.variable(set));
        let variable = variables.min().expect("the claim is there");
        if all.len() == 1 && claim == NONE {
            return Ok(false);
        }
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
            let next = together(given.iter().map(|&set| sets.branch(set, variable, value)), claimed);
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
