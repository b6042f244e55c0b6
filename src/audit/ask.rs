//! What the evaluator says in all states, asked for one valuation of the slots that matter at a time.
//!
//! In: something to run with a machine. Out: rows, each a valuation of the slots that the run reads, and what it came to
//! there; together the rows are all states. The machine is run with nothing known; it names the slot that it needs,
//! that slot is given each of its values in turn, and so on. So a conjunction of many conditions takes few rows, and
//! no opinion is needed on what a rule reads. A slot that the component does not see is undefined.
//!
//! It ends because every question makes one more slot known; `ROWS_MAX` bounds the rows. Cost: one run for each row and
//! for each slot on the way to it.

use super::decision::{ALL, Enough, May, NONE, Set, Sets};
use crate::ir::eval::{Machine, Options, Partly, Scope};
use crate::ir::layout::Layout;
use crate::ir::{ExprId, Model, Slot, UNDEFINED};
use crate::verdict::certificate::{Certificate, Variable};

/// Rows of one run.
const ROWS_MAX: usize = 1 << 20;
/// Values that a slot is given.
const VALUES_MAX: u64 = 1 << 16;

/// The decision variables: bits of slots and auxiliaries, in the order of the certificate.
pub struct Names {
    layout: Layout,
    /// For each slot, the variables of its bits, the least significant first.
    bits: Vec<Vec<u32>>,
    pub auxiliaries: Vec<u32>,
    pub meaning: Vec<Variable>,
}

impl Names {
    /// The certificate's variables first, in its order; then what it does not mention.
    pub fn new(model: &Model, certificate: &Certificate) -> Names {
        let layout = Layout::new(model);
        let bits = layout.fields().iter().map(|field| vec![u32::MAX; usize::from(field.width)]).collect();
        let auxiliaries = vec![u32::MAX; certificate.auxiliaries.len()];
        let mut names = Names { layout, bits, auxiliaries, meaning: Vec::new() };
        certificate.variables.iter().for_each(|&variable| names.add(variable));
        for slot in 0..model.slots.len() as u32 {
            for bit in (0..names.layout.fields()[slot as usize].width).rev() {
                names.add(Variable::Bit { slot, bit });
            }
        }
        (0..certificate.auxiliaries.len() as u32).for_each(|at| names.add(Variable::Auxiliary(at)));
        names
    }

    fn add(&mut self, variable: Variable) {
        let next = self.meaning.len() as u32;
        let place = self.place(variable);
        if *place == u32::MAX {
            *place = next;
            self.meaning.push(variable);
        }
    }

    fn place(&mut self, variable: Variable) -> &mut u32 {
        match variable {
            Variable::Bit { slot, bit } => &mut self.bits[slot as usize][usize::from(bit)],
            Variable::Auxiliary(at) => &mut self.auxiliaries[at as usize],
        }
    }

    /// The number of a variable that the certificate names.
    pub fn number(&self, variable: Variable) -> u32 {
        match variable {
            Variable::Bit { slot, bit } => self.bits[slot as usize][usize::from(bit)],
            Variable::Auxiliary(at) => self.auxiliaries[at as usize],
        }
    }

    /// A slot's bits with what they are when it has a value.
    pub fn code(&self, slot: u32, value: i64) -> impl Iterator<Item = (u32, bool)> + '_ {
        let code = self.layout.fields()[slot as usize].code_of(value);
        self.bits[slot as usize].iter().enumerate().map(move |(bit, &name)| (name, code >> bit & 1 == 1))
    }

    pub fn value(&self, slot: u32, says: impl Fn(u32) -> bool) -> i64 {
        let bits = self.bits[slot as usize].iter().enumerate();
        let code = bits.fold(0, |code, (bit, &name)| code | u64::from(says(name)) << bit);
        self.layout.fields()[slot as usize].value_of(code)
    }

    /// Where slots have these values.
    pub fn cube(&self, sets: &mut Sets, values: &[(u32, i64)]) -> May<Set> {
        let mut literals: Vec<(u32, bool)> =
            values.iter().flat_map(|&(slot, value)| self.code(slot, value)).collect();
        literals.sort_unstable();
        let mut cube = ALL;
        for (variable, value) in literals.into_iter().rev() {
            let literal = sets.literal(variable, value)?;
            cube = sets.and(literal, cube)?;
        }
        Ok(cube)
    }

    /// Where a slot's code is that of a value, or of undefined.
    pub fn valid(&self, model: &Model, sets: &mut Sets, slot: u32) -> May<Set> {
        let last = model.types.count(model.slots[slot as usize].ty);
        let mut within = ALL;
        for (bit, &name) in self.bits[slot as usize].iter().enumerate() {
            let set = sets.literal(name, true)?;
            within = match last >> bit & 1 {
                0 => sets.choose(set, NONE, within)?,
                _ => sets.choose(set, within, ALL)?,
            };
        }
        Ok(within)
    }
}

/// A valuation of the slots that a run reads.
pub type Known = [(u32, i64)];

/// Asks a machine.
pub struct Asker<'m> {
    model: &'m Model,
    machine: Machine<'m>,
    state: Vec<i64>,
}

/// What to run in a state.
pub type Run<'r, 'm, T> = &'r mut dyn FnMut(&mut Machine<'m>, &[i64]) -> T;
/// Takes a valuation, what a run came to there, and the slots it stored to.
pub type Take<'r, T> = &'r mut dyn FnMut(&Known, T, &[u32]) -> May<()>;

impl<'m> Asker<'m> {
    pub fn new(model: &'m Model, options: Options) -> Asker<'m> {
        let state = vec![UNDEFINED; model.slots.len()];
        Asker { model, machine: Machine::new(model, options), state }
    }

    /// The value of an expression that does not depend on the state.
    pub fn constant(&mut self, scope: &Scope<'m>, expr: ExprId) -> Option<i64> {
        let state = &self.state;
        match self.machine.partly(&[], |machine| machine.value_of(state, scope, expr)) {
            Partly::Done(Ok(value), _) => value,
            _ => None,
        }
    }

    /// All rows of a run in which the slots that `seen` tells are seen.
    pub fn rows<T>(&mut self, seen: &dyn Fn(u32) -> bool, run: Run<'_, 'm, T>, take: Take<'_, T>) -> May<()> {
        let mut tree = Tree { asker: self, seen, run, take, known: Vec::new(), path: Vec::new(), rows: 0 };
        tree.grow()
    }
}

struct Tree<'t, 'm, T> {
    asker: &'t mut Asker<'m>,
    seen: &'t dyn Fn(u32) -> bool,
    run: Run<'t, 'm, T>,
    take: Take<'t, T>,
    /// Slots that have a value, and those of them that are seen, with it.
    known: Vec<u32>,
    path: Vec<(u32, i64)>,
    rows: usize,
}

impl<T> Tree<'_, '_, T> {
    fn grow(&mut self) -> May<()> {
        let state = &self.asker.state;
        let run = &mut *self.run;
        match self.asker.machine.partly(&self.known, |machine| run(machine, state)) {
            Partly::Done(result, written) => {
                self.rows += 1;
                if self.rows > ROWS_MAX {
                    return Err(Enough(format!("a rule or claim distinguishes more than {ROWS_MAX} cases")));
                }
                (self.take)(&self.path, result, &written)
            }
            Partly::Needs(slot) => {
                self.known.push(slot);
                let done = if (self.seen)(slot) { self.branch(slot) } else { self.grow() };
                self.known.pop();
                done
            }
        }
    }

    fn branch(&mut self, slot: u32) -> May<()> {
        let model = self.asker.model;
        let ty = model.slots[slot as usize].ty;
        let (first, count) = (model.types.first(ty), model.types.count(ty));
        if count > VALUES_MAX {
            let path = model.slot_path(Slot(slot));
            return Err(Enough(format!("{path} has {count} values")));
        }
        let values = (0..count).map(|at| first.wrapping_add_unsigned(at));
        for value in values.chain([UNDEFINED]) {
            self.asker.state[slot as usize] = value;
            self.path.push((slot, value));
            let done = self.grow();
            self.path.pop();
            if done.is_err() {
                self.asker.state[slot as usize] = UNDEFINED;
                return done;
            }
        }
        Ok(())
    }
}
