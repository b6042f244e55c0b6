//! Binary decision diagrams with complement edges: the only file that names the package that makes them.
//!
//! In: variables by number, the number being the level. Out: `Bdd`, a counted reference to a node of one `Store`.
//! Equal functions of one store are equal references, so tests for equality, truth and falsity are immediate.
//!
//! A store has room for a fixed number of nodes. Where that is used up, dead nodes are collected and the operation is
//! tried once more; then it fails with `Trouble::Memory`, which is a value and becomes the verdict *unknown*.
//!
//! Bytes: nodes below before nodes above, each as variable, high and low branch in groups of seven bits. Importing
//! makes each node from two that are there already, without a search. It leaves out reordering: the order is planned.

use std::collections::HashMap;

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, HasLevel, Manager, ManagerRef, Node,
};

use super::Trouble;

/// Bytes that one node takes, with its share of the tables.
const NODE_BYTES: u64 = 32;
const CACHE_ENTRY_BYTES: u64 = 24;
const NODES_LEAST: u64 = 1 << 12;
const NODES_MOST: u64 = 1 << 30;

/// Nodes, and the variables they decide.
pub struct Store {
    manager: BCDDManagerRef,
    variables: u32,
    truth: Bdd,
    falsity: Bdd,
    /// Nodes at which dead ones are worth collecting.
    full: std::cell::Cell<u64>,
}

/// Dead nodes are not looked for below this many.
const COLLECT_LEAST: u64 = 1 << 20;

/// A boolean function of a store's variables.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(BCDDFunction);

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.nodes())
    }
}

impl Store {
    /// A store of so many variables in about so many bytes.
    pub fn new(variables: u32, bytes: u64) -> Store {
        let cache = (bytes / 6 / CACHE_ENTRY_BYTES).clamp(1 << 12, 1 << 20).next_power_of_two();
        let rest = bytes.saturating_sub(cache * CACHE_ENTRY_BYTES);
        let nodes = (rest / NODE_BYTES).clamp(NODES_LEAST, NODES_MOST);
        let manager = new_manager(nodes as usize, cache as usize, 1);
        manager.with_manager_exclusive(|manager| manager.add_vars(variables));
        let truth = Bdd(manager.with_manager_shared(|manager| BCDDFunction::t(manager)));
        let falsity = Bdd(manager.with_manager_shared(|manager| BCDDFunction::f(manager)));
        Store { manager, variables, truth, falsity, full: std::cell::Cell::new(COLLECT_LEAST) }
    }

    pub fn variables(&self) -> u32 {
        self.variables
    }

    pub fn truth(&self) -> Bdd {
        self.truth.clone()
    }

    pub fn falsity(&self) -> Bdd {
        self.falsity.clone()
    }

    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.truth() } else { self.falsity() }
    }

    pub fn variable(&self, number: u32) -> Result<Bdd, Trouble> {
        let made = self.manager.with_manager_shared(|manager| BCDDFunction::var(manager, number));
        made.map(Bdd).map_err(|_| Trouble::Memory)
    }

    pub fn literal(&self, number: u32, positive: bool) -> Result<Bdd, Trouble> {
        let variable = self.variable(number)?;
        if positive { Ok(variable) } else { variable.not() }
    }

    /// The conjunction of literals, made from the last variable on, so that each step makes one node.
    pub fn cube(&self, literals: &[(u32, bool)]) -> Result<Bdd, Trouble> {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable();
        let mut cube = self.truth();
        for &(number, positive) in sorted.iter().rev() {
            cube = self.literal(number, positive)?.and(&cube)?;
        }
        Ok(cube)
    }

    /// The conjunction of variables, as quantifiers take their set.
    pub fn set(&self, variables: impl IntoIterator<Item = u32>) -> Result<Bdd, Trouble> {
        let literals: Vec<(u32, bool)> = variables.into_iter().map(|number| (number, true)).collect();
        self.cube(&literals)
    }

    /// Nodes in use, dead ones that are not collected yet included.
    pub fn nodes(&self) -> u64 {
        self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes() as u64)
    }

    /// Collects dead nodes when there may be many: twice as many nodes as were left the last time.
    pub fn tidy(&self) {
        if self.nodes() > self.full.get() {
            self.manager.with_manager_shared(|manager| manager.gc());
            self.full.set(COLLECT_LEAST.max(self.nodes() * 2));
        }
    }

    /// A disjunction, built in halves so that intermediate results stay small.
    pub fn any(&self, terms: &[Bdd]) -> Result<Bdd, Trouble> {
        match terms {
            [] => Ok(self.falsity()),
            [one] => Ok(one.clone()),
            _ => {
                let (left, right) = terms.split_at(terms.len() / 2);
                self.any(left)?.or(&self.any(right)?)
            }
        }
    }

    /// The function that `Bdd::bytes` wrote; none where the bytes are not such.
    pub fn import(&self, bytes: &[u8]) -> Result<Option<Bdd>, Trouble> {
        let mut numbers = Numbers { bytes, at: 0 };
        let mut made: Vec<Bdd> = vec![self.falsity(), self.truth()];
        let Some(count) = numbers.next() else { return Ok(None) };
        for _ in 0..count {
            let (Some(variable), Some(high), Some(low)) = (numbers.next(), numbers.next(), numbers.next())
            else {
                return Ok(None);
            };
            let (high, low) = (made.get(high as usize), made.get(low as usize));
            let (Some(high), Some(low)) = (high, low) else { return Ok(None) };
            if variable >= u64::from(self.variables) {
                return Ok(None);
            }
            let node = self.variable(variable as u32)?.ite(high, low)?;
            made.push(node);
        }
        Ok(made.pop())
    }
}

impl Bdd {
    /// Runs an operation; once more after a collection where there was no room.
    fn room(&self, run: impl Fn() -> AllocResult<BCDDFunction>) -> Result<Bdd, Trouble> {
        if let Ok(made) = run() {
            return Ok(Bdd(made));
        }
        self.0.with_manager_shared(|manager, _| manager.gc());
        run().map(Bdd).map_err(|_| Trouble::Memory)
    }

    pub fn is_false(&self) -> bool {
        !self.0.satisfiable()
    }

    pub fn is_true(&self) -> bool {
        self.0.valid()
    }

    pub fn not(&self) -> Result<Bdd, Trouble> {
        self.room(|| self.0.not())
    }

    pub fn and(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.room(|| self.0.and(&other.0))
    }

    pub fn or(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.room(|| self.0.or(&other.0))
    }

    pub fn equiv(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.room(|| self.0.equiv(&other.0))
    }

    /// What is here and not there.
    pub fn minus(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.room(|| other.0.imp_strict(&self.0))
    }

    pub fn ite(&self, then: &Bdd, otherwise: &Bdd) -> Result<Bdd, Trouble> {
        self.room(|| self.0.ite(&then.0, &otherwise.0))
    }

    /// Quantifies the variables of a set.
    pub fn exists(&self, set: &Bdd) -> Result<Bdd, Trouble> {
        self.room(|| self.0.exists(&set.0))
    }

    /// Conjunction and quantification in one walk.
    pub fn and_exists(&self, other: &Bdd, set: &Bdd) -> Result<Bdd, Trouble> {
        self.room(|| self.0.apply_exists(BooleanOperator::And, &other.0, &set.0))
    }

    /// Whether all that is here is there.
    pub fn within(&self, other: &Bdd) -> Result<bool, Trouble> {
        Ok(self.minus(other)?.is_false())
    }

    pub fn nodes(&self) -> usize {
        self.0.node_count()
    }

    /// Whether a valuation satisfies it; `value` says each variable's.
    pub fn holds(&self, value: impl Fn(u32) -> bool) -> bool {
        let mut here = self.0.clone();
        loop {
            let Some(variable) = top(&here) else { return here.satisfiable() };
            let branch = if value(variable) { here.cofactor_true() } else { here.cofactor_false() };
            here = branch.expect("an inner node has branches");
        }
    }

    /// One satisfying valuation, by variable: none where a variable does not matter. None where there is none.
    pub fn pick(&self) -> Option<Vec<Option<bool>>> {
        let cube = self.0.pick_cube(|_, _, _| false)?;
        let plain = |value: OptBool| match value {
            OptBool::None => None,
            OptBool::False => Some(false),
            OptBool::True => Some(true),
        };
        Some(cube.into_iter().map(plain).collect())
    }

    /// All nodes, those below first: variable, high and low, which count from the two constants false and true.
    #[expect(clippy::mutable_key_type, reason = "counting references does not change what a key is equal to")]
    pub fn node_list(&self) -> (Vec<(u32, u32, u32)>, u32) {
        let mut numbers: HashMap<BCDDFunction, u32> = HashMap::new();
        let mut list = Vec::new();
        let mut open = vec![(self.0.clone(), false)];
        let number_of = |numbers: &HashMap<BCDDFunction, u32>, f: &BCDDFunction| match top(f) {
            None => Some(u32::from(f.satisfiable())),
            Some(_) => numbers.get(f).copied(),
        };
        while let Some((here, entered)) = open.pop() {
            if number_of(&numbers, &here).is_some() {
                continue;
            }
            let variable = top(&here).expect("constants have numbers");
            let (high, low) = here.cofactors().expect("an inner node has branches");
            match (number_of(&numbers, &high), number_of(&numbers, &low)) {
                (Some(high), Some(low)) => {
                    list.push((variable, high, low));
                    numbers.insert(here, list.len() as u32 + 1);
                }
                _ => {
                    debug_assert!(!entered, "branches come before the node");
                    open.push((here, true));
                    open.push((high, false));
                    open.push((low, false));
                }
            }
        }
        let root = number_of(&numbers, &self.0).expect("the root was numbered");
        (list, root)
    }

    /// The function as bytes, for `Store::import` of a store with the same order.
    pub fn bytes(&self) -> Vec<u8> {
        let (list, root) = self.node_list();
        let mut bytes = Vec::with_capacity(list.len() * 6 + 4);
        if list.is_empty() {
            // A constant is written as a node whose branches agree.
            push_number(&mut bytes, 1);
            [0, u64::from(root), u64::from(root)].into_iter().for_each(|n| push_number(&mut bytes, n));
            return bytes;
        }
        push_number(&mut bytes, list.len() as u64);
        for (variable, high, low) in list {
            [variable, high, low].into_iter().for_each(|n| push_number(&mut bytes, u64::from(n)));
        }
        bytes
    }
}

/// The variable decided first; none for constants.
fn top(f: &BCDDFunction) -> Option<u32> {
    f.with_manager_shared(|manager, edge| match manager.get_node(edge) {
        Node::Inner(node) => Some(manager.level_to_var(node.level())),
        Node::Terminal(_) => None,
    })
}

fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The nodes of a diagram's bytes: variable, high, low, counted from the constants; none where they are not such.
pub fn nodes_of(bytes: &[u8]) -> Option<Vec<(u32, u32, u32)>> {
    let mut numbers = Numbers { bytes, at: 0 };
    let count = numbers.next()?;
    let mut next = || numbers.next().map(|number| number as u32);
    (0..count).map(|_| Some((next()?, next()?, next()?))).collect()
}

struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Numbers<'_> {
    fn next(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0u32);
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::prng::Prng;

    fn random(store: &Store, prng: &mut Prng) -> Bdd {
        let mut made = store.falsity();
        for _ in 0..5 {
            let literals: Vec<(u32, bool)> =
                (0..4).map(|_| (prng.below(8) as u32, prng.below(2) == 0)).collect();
            made = made.or(&store.cube(&literals).unwrap()).unwrap();
        }
        made
    }

    #[test]
    fn bytes_come_back_in_another_store() {
        let (here, there) = (Store::new(8, 1 << 22), Store::new(8, 1 << 22));
        let mut prng = Prng::new(7);
        for _ in 0..50 {
            let made = random(&here, &mut prng);
            let back = there.import(&made.bytes()).unwrap().expect("bytes of a function");
            for valuation in 0..256u32 {
                let bit = |number: u32| valuation >> number & 1 == 1;
                assert_eq!(made.holds(bit), back.holds(bit));
            }
        }
        for constant in [true, false] {
            let back = there.import(&here.constant(constant).bytes()).unwrap().unwrap();
            assert!(back == there.constant(constant));
        }
        assert_eq!(there.import(&[3, 1]).unwrap(), None);
    }

    #[test]
    fn too_many_nodes_are_a_value() {
        let store = Store::new(64, 1);
        let mut prng = Prng::new(3);
        let mut made = store.truth();
        let out_of_room = (0..10_000).any(|_| {
            let literals: Vec<(u32, bool)> =
                (0..20).map(|_| (prng.below(64) as u32, prng.below(2) == 0)).collect();
            let Ok(cube) = store.cube(&literals) else { return true };
            match cube.not().and_then(|cube| made.and(&cube)) {
                Ok(next) => made = next,
                Err(Trouble::Memory) => return true,
                Err(other) => panic!("{other:?}"),
            }
            false
        });
        assert!(out_of_room);
    }
}
