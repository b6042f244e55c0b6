//! Binary decision diagrams as the other files use them: counted references to functions of one store.
//!
//! In: variables by number, the number being the level. Out: `Bdd`, a counted reference to a node of one `Store`.
//! Equal functions of one store are equal references, so tests for equality, truth and falsity are immediate.
//!
//! A store has room for a fixed number of nodes. Where that is used up, dead nodes are collected and the operation is
//! tried once more; then it fails with `Trouble::Memory`, which is a value and becomes the verdict *unknown*. A store
//! may be given a watch, which is looked at within operations: `Trouble::Halted`.
//!
//! Bytes: nodes below before nodes above, each as variable, high and low branch in groups of seven bits. Importing
//! makes each node from two that are there already, without a search. It leaves out reordering: the order is planned.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Trouble;
use super::marks::Marks;
use super::nodes::{Edge, FALSE, Failed, TRUE, Table, Watch};
use crate::base::numbers::{Numbers, push_number};

/// Nodes, and the variables they decide.
pub struct Store {
    pub(super) core: Rc<Core>,
    variables: u32,
}

pub(super) struct Core {
    pub(super) table: RefCell<Table>,
    /// How many references there are to each node, as far as there were any.
    held: RefCell<Vec<u32>>,
    /// Nodes at which dead ones are worth collecting.
    full: Cell<usize>,
    marks: RefCell<Marks>,
}

/// Dead nodes are not looked for below this many.
const COLLECT_LEAST: usize = 1 << 20;

/// A boolean function of a store's variables.
pub struct Bdd {
    pub(super) core: Rc<Core>,
    pub(super) edge: Edge,
}

impl Clone for Bdd {
    fn clone(&self) -> Bdd {
        self.core.hold(self.edge)
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        self.core.held.borrow_mut()[(self.edge >> 1) as usize] -= 1;
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Bdd) -> bool {
        self.edge == other.edge
    }
}

impl Eq for Bdd {}

impl std::hash::Hash for Bdd {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.edge.hash(state);
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.nodes())
    }
}

impl Core {
    /// A counted reference to what is an edge now.
    pub(super) fn hold(self: &Rc<Core>, edge: Edge) -> Bdd {
        let mut held = self.held.borrow_mut();
        let at = (edge >> 1) as usize;
        if at >= held.len() {
            held.resize((at + 1).next_power_of_two(), 0);
        }
        held[at] += 1;
        Bdd { core: self.clone(), edge }
    }

    /// Runs an operation; once more after a collection where there was no room.
    pub(super) fn run<T>(&self, operation: impl Fn(&mut Table) -> Result<T, Failed>) -> Result<T, Trouble> {
        self.tidy();
        let mut failed = None;
        for again in [true, false] {
            let done = operation(&mut self.table.borrow_mut());
            match done {
                Ok(made) => return Ok(made),
                Err(Failed::Full) if again => self.collect(),
                Err(why) => {
                    failed = Some(why);
                    break;
                }
            }
        }
        Err(match failed {
            Some(Failed::Stopped) => {
                Trouble::Halted(self.table.borrow().why.clone().expect("a reason to stop"))
            }
            _ => Trouble::Memory,
        })
    }

    fn make(self: &Rc<Core>, operation: impl Fn(&mut Table) -> Result<Edge, Failed>) -> Result<Bdd, Trouble> {
        Ok(self.hold(self.run(operation)?))
    }

    fn tidy(&self) {
        if self.table.borrow().used() > self.full.get() {
            self.collect();
        }
    }

    fn collect(&self) {
        self.table.borrow_mut().collect(&self.held.borrow());
        self.full.set(COLLECT_LEAST.max(self.table.borrow().used() * 2));
    }
}

impl Store {
    /// A store of so many variables in about so many bytes.
    pub fn new(variables: u32, bytes: u64) -> Store {
        let core = Core {
            table: RefCell::new(Table::new(bytes)),
            held: RefCell::default(),
            full: Cell::new(COLLECT_LEAST),
            marks: RefCell::default(),
        };
        Store { core: Rc::new(core), variables }
    }

    /// Operations stop when this says so.
    pub fn watch(&self, watch: Watch) {
        self.core.table.borrow_mut().watch = Some(watch);
    }

    pub fn variables(&self) -> u32 {
        self.variables
    }

    pub fn truth(&self) -> Bdd {
        self.core.hold(TRUE)
    }

    pub fn falsity(&self) -> Bdd {
        self.core.hold(FALSE)
    }

    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.truth() } else { self.falsity() }
    }

    pub fn variable(&self, number: u32) -> Result<Bdd, Trouble> {
        self.core.make(|table| table.make(number, TRUE, FALSE))
    }

    pub fn literal(&self, number: u32, positive: bool) -> Result<Bdd, Trouble> {
        let variable = self.variable(number)?;
        if positive { Ok(variable) } else { variable.not() }
    }

    /// The conjunction of literals, made from the last variable on.
    pub fn cube(&self, literals: &[(u32, bool)]) -> Result<Bdd, Trouble> {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Ok(self.falsity());
        }
        self.core.make(|table| {
            sorted.iter().rev().try_fold(TRUE, |cube, &(number, positive)| match positive {
                true => table.make(number, cube, FALSE),
                false => table.make(number, FALSE, cube),
            })
        })
    }

    /// The conjunction of variables, as quantifiers take their set.
    pub fn set(&self, variables: impl IntoIterator<Item = u32>) -> Result<Bdd, Trouble> {
        let literals: Vec<(u32, bool)> = variables.into_iter().map(|number| (number, true)).collect();
        self.cube(&literals)
    }

    /// Nodes in use, dead ones that are not collected yet included.
    pub fn nodes(&self) -> u64 {
        self.core.table.borrow().used() as u64
    }

    /// Collects dead nodes when there may be many: twice as many nodes as were left the last time.
    pub fn tidy(&self) {
        self.core.tidy();
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
        let mut numbers = Numbers::new(bytes);
        let mut made: Vec<Bdd> = vec![self.falsity(), self.truth()];
        let Some(count) = numbers.next() else { return Ok(None) };
        for _ in 0..count {
            let (Some(variable), Some(high), Some(low)) = (numbers.next(), numbers.next(), numbers.next())
            else {
                return Ok(None);
            };
            let (high, low) = (made.get(high as usize), made.get(low as usize));
            let (Some(high), Some(low)) = (high, low) else { return Ok(None) };
            if variable >= u64::from(self.variables) || !high.is_after(variable) || !low.is_after(variable) {
                return Ok(None);
            }
            let node = self.core.make(|table| table.make(variable as u32, high.edge, low.edge))?;
            made.push(node);
        }
        Ok(made.pop())
    }
}

impl Bdd {
    fn with(&self, operation: impl Fn(&mut Table) -> Result<Edge, Failed>) -> Result<Bdd, Trouble> {
        self.core.make(operation)
    }

    /// Whether it decides nothing up to a variable.
    fn is_after(&self, variable: u64) -> bool {
        u64::from(self.core.table.borrow().variable(self.edge)) > variable
    }

    pub fn is_false(&self) -> bool {
        self.edge == FALSE
    }

    pub fn is_true(&self) -> bool {
        self.edge == TRUE
    }

    pub fn not(&self) -> Result<Bdd, Trouble> {
        Ok(self.core.hold(self.edge ^ 1))
    }

    pub fn and(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.and(self.edge, other.edge))
    }

    pub fn or(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.or(self.edge, other.edge))
    }

    pub fn equiv(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.xor(self.edge, other.edge ^ 1))
    }

    /// What is here and not there.
    pub fn minus(&self, other: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.and(self.edge, other.edge ^ 1))
    }

    pub fn ite(&self, then: &Bdd, otherwise: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.if_then_else(self.edge, then.edge, otherwise.edge))
    }

    /// Quantifies the variables of a set.
    pub fn exists(&self, set: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.exists(self.edge, set.edge))
    }

    /// Conjunction and quantification in one walk.
    pub fn and_exists(&self, other: &Bdd, set: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.and_exists(self.edge, other.edge, set.edge))
    }

    /// The states after steps from states that are here. Variables 2b and 2b + 1 are a bit before and after a step;
    /// `written` has the variables 2b of all bits that steps mention after.
    pub fn after(&self, steps: &Bdd, written: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.after(self.edge, steps.edge, written.edge))
    }

    /// The states from which steps lead to states that are here.
    pub fn before(&self, steps: &Bdd, written: &Bdd) -> Result<Bdd, Trouble> {
        self.with(|table| table.before(self.edge, steps.edge, written.edge))
    }

    /// Whether something is both here and there.
    pub fn meets(&self, other: &Bdd) -> Result<bool, Trouble> {
        self.core.run(|table| table.meet(self.edge, other.edge))
    }

    /// Whether all that is here is there.
    pub fn within(&self, other: &Bdd) -> Result<bool, Trouble> {
        Ok(!self.core.run(|table| table.meet(self.edge, other.edge ^ 1))?)
    }

    pub fn nodes(&self) -> usize {
        let table = self.core.table.borrow();
        let mut marks = self.core.marks.borrow_mut();
        marks.begin(table.places());
        let mut open = vec![self.edge >> 1];
        let mut count = 0;
        while let Some(at) = open.pop() {
            if marks.is_first(at) {
                count += 1;
                if at > 0 {
                    let (high, low) = table.branches(at << 1);
                    open.extend([high >> 1, low >> 1]);
                }
            }
        }
        count
    }

    /// The variables that it depends on, ascending.
    pub fn support(&self) -> Vec<u32> {
        let table = self.core.table.borrow();
        let mut seen = fxhash::FxHashSet::default();
        let mut found = std::collections::BTreeSet::new();
        let mut open = vec![self.edge >> 1];
        while let Some(at) = open.pop() {
            if at > 0 && seen.insert(at) {
                found.insert(table.variable(at << 1));
                let (high, low) = table.branches(at << 1);
                open.extend([high >> 1, low >> 1]);
            }
        }
        found.into_iter().collect()
    }

    /// Whether a valuation satisfies it; `value` says each variable's.
    pub fn holds(&self, value: impl Fn(u32) -> bool) -> bool {
        let table = self.core.table.borrow();
        let mut here = self.edge;
        while here > FALSE {
            let (high, low) = table.branches(here);
            here = if value(table.variable(here)) { high } else { low };
        }
        here == TRUE
    }

    /// One satisfying valuation, by variable: none where a variable does not matter. None where there is none.
    pub fn pick(&self, variables: u32) -> Option<Vec<Option<bool>>> {
        let table = self.core.table.borrow();
        let mut valuation = vec![None; variables as usize];
        let mut here = self.edge;
        while here > FALSE {
            let (high, low) = table.branches(here);
            valuation[table.variable(here) as usize] = Some(low == FALSE);
            here = if low == FALSE { high } else { low };
        }
        (here == TRUE).then_some(valuation)
    }

    /// All nodes, those below first: variable, high and low, which count from the two constants false and true.
    pub fn node_list(&self) -> (Vec<(u32, u32, u32)>, u32) {
        let table = self.core.table.borrow();
        let mut numbers: fxhash::FxHashMap<Edge, u32> = [(FALSE, 0), (TRUE, 1)].into_iter().collect();
        let mut list = Vec::new();
        let mut open = vec![self.edge];
        while let Some(&here) = open.last() {
            if numbers.contains_key(&here) {
                open.pop();
                continue;
            }
            let (high, low) = table.branches(here);
            match (numbers.get(&high), numbers.get(&low)) {
                (Some(&high), Some(&low)) => {
                    list.push((table.variable(here), high, low));
                    numbers.insert(here, list.len() as u32 + 1);
                    open.pop();
                }
                _ => open.extend([high, low]),
            }
        }
        (list, numbers[&self.edge])
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

/// The nodes of a diagram's bytes: variable, high, low, counted from the constants; none where they are not such.
pub fn nodes_of(bytes: &[u8]) -> Option<Vec<(u32, u32, u32)>> {
    let mut numbers = Numbers::new(bytes);
    let count = numbers.next()?;
    let mut next = || numbers.next().map(|number| number as u32);
    (0..count).map(|_| Some((next()?, next()?, next()?))).collect()
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

    /// Every operation against what it says of all valuations of eight variables, with collections in between.
    #[test]
    fn operations_are_those_of_truth_tables() {
        let store = Store::new(8, 1 << 22);
        let mut prng = Prng::new(11);
        let table = |f: &Bdd| -> Vec<bool> {
            (0..256u32).map(|valuation| f.holds(|number| valuation >> number & 1 == 1)).collect()
        };
        let same =
            |f: &Bdd, of: &dyn Fn(usize) -> bool| assert_eq!(table(f), (0..256).map(of).collect::<Vec<_>>());
        for round in 0..200 {
            let (f, g, h) = (random(&store, &mut prng), random(&store, &mut prng), random(&store, &mut prng));
            let (a, b, c) = (table(&f), table(&g), table(&h));
            same(&f.and(&g).unwrap(), &|at| a[at] && b[at]);
            same(&f.or(&g).unwrap(), &|at| a[at] || b[at]);
            same(&f.not().unwrap(), &|at| !a[at]);
            same(&f.minus(&g).unwrap(), &|at| a[at] && !b[at]);
            same(&f.equiv(&g).unwrap(), &|at| a[at] == b[at]);
            same(&f.ite(&g, &h).unwrap(), &|at| if a[at] { b[at] } else { c[at] });
            assert_eq!(f.meets(&g).unwrap(), (0..256).any(|at| a[at] && b[at]));
            assert_eq!(f.within(&g).unwrap(), (0..256).all(|at| !a[at] || b[at]));
            // Quantifying: valuations that differ in the set alone.
            let mask = prng.below(256) as usize;
            let set = store.set((0..8u32).filter(|number| mask >> number & 1 == 1)).unwrap();
            let alike = |at: usize| (0..256usize).filter(move |other| (at ^ other) & !mask == 0);
            same(&f.exists(&set).unwrap(), &|at| alike(at).any(|other| a[other]));
            same(&f.and_exists(&g, &set).unwrap(), &|at| alike(at).any(|other| a[other] && b[other]));
            // Images: states have the even variables; steps mention odd ones of written bits alone.
            let written = mask & 0x55;
            let now = store.set((0..8u32).filter(|number| written >> number & 1 == 1)).unwrap();
            let odd = |keep: usize| {
                store
                    .set((0..8u32).filter(|number| 0xaa >> number & 1 == 1 && keep >> number & 1 == 0))
                    .unwrap()
            };
            let states = f.exists(&odd(0)).unwrap();
            let steps = g.exists(&odd(written << 1)).unwrap();
            let (s, t) = (table(&states), table(&steps));
            // The valuation of both sides of a step, from two states that agree on what is not written.
            let both = |from: usize, to: usize| from | (to & written) << 1;
            let pairs = |at: usize| {
                (0..256usize).filter(move |&other| (at ^ other) & 0x55 & !written == 0 && other & 0xaa == 0)
            };
            same(&states.after(&steps, &now).unwrap(), &|at| {
                pairs(at).any(|from| s[from] && t[both(from, at & 0x55)])
            });
            same(&states.before(&steps, &now).unwrap(), &|at| {
                pairs(at).any(|to| s[to] && t[both(at & 0x55, to)])
            });
            let support = |number: &u32| (0..256).any(|at| a[at] != a[at ^ 1 << number]);
            assert_eq!(f.support(), (0..8u32).filter(support).collect::<Vec<_>>());
            if round % 10 == 0 {
                store.core.collect();
                assert_eq!(table(&f), a);
            }
        }
        store.core.collect();
        assert!(store.nodes() < 10, "nothing but constants is held");
    }

    #[test]
    fn a_watch_ends_an_operation() {
        let store = Store::new(60, 1 << 26);
        let mut prng = Prng::new(5);
        let mut made = store.truth();
        store.watch(Rc::new(|| Some("enough".to_string())));
        let halted = (0..10_000).find_map(|_| {
            let literals: Vec<(u32, bool)> =
                (0..12).map(|_| (prng.below(60) as u32, prng.below(2) == 0)).collect();
            match store.cube(&literals).and_then(|cube| made.minus(&cube)) {
                Ok(next) => {
                    made = next;
                    None
                }
                Err(trouble) => Some(trouble),
            }
        });
        assert_eq!(halted, Some(Trouble::Halted("enough".to_string())));
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
