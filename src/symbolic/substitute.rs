//! A diagram with other functions in the place of its variables, all at once.
//!
//! In: a diagram, and a function for each variable that it decides. Out: what is true of a valuation exactly when the
//! diagram is true of the values that the functions have there. A renaming of variables, also one that changes their
//! order, is the case in which every function is a variable. Nodes are made anew from below, each by one operation of the
//! store, so limits are looked at as in any operation. Cost: one such operation a node; where the order of the variables
//! changes little, most of them make one node.

use fxhash::FxHashMap;

use super::Trouble;
use super::bdd::Bdd;
use super::nodes::{FALSE, TRUE};

impl Bdd {
    /// The function with what `of` says in the place of each variable.
    pub fn substitute(&self, of: &mut dyn FnMut(u32) -> Result<Bdd, Trouble>) -> Result<Bdd, Trouble> {
        let (list, root) = self.node_list();
        let mut put: FxHashMap<u32, Bdd> = FxHashMap::default();
        let mut made = vec![self.core.hold(FALSE), self.core.hold(TRUE)];
        for (variable, high, low) in list {
            let function = match put.get(&variable) {
                Some(known) => known.clone(),
                None => put.entry(variable).or_insert(of(variable)?).clone(),
            };
            made.push(function.ite(&made[high as usize], &made[low as usize])?);
        }
        Ok(made[root as usize].clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::base::prng::Prng;
    use crate::symbolic::{Bdd, Store};

    fn random(store: &Store, prng: &mut Prng) -> Bdd {
        let mut made = store.falsity();
        for _ in 0..6 {
            let literals: Vec<(u32, bool)> =
                (0..3).map(|_| (prng.below(6) as u32, prng.below(2) == 0)).collect();
            let cube = store.cube(&literals).unwrap();
            made = if prng.below(3) == 0 { made.minus(&cube) } else { made.or(&cube) }.unwrap();
        }
        made
    }

    #[test]
    fn every_valuation_sees_the_functions_in_the_place_of_the_variables() {
        let store = Store::new(6, 1 << 22);
        let mut prng = Prng::new(11);
        for _ in 0..50 {
            let outer = random(&store, &mut prng);
            let inner: Vec<Bdd> = (0..6).map(|_| random(&store, &mut prng)).collect();
            let made = outer.substitute(&mut |variable| Ok(inner[variable as usize].clone())).unwrap();
            for valuation in 0..64u32 {
                let bit = |number: u32| valuation >> number & 1 == 1;
                assert_eq!(made.holds(bit), outer.holds(|variable| inner[variable as usize].holds(bit)));
            }
        }
        assert!(store.truth().substitute(&mut |_| unreachable!()).unwrap().is_true());
    }
}
