//! The state of writing one function: blocks, pending faults, access to the packed state.
//!
//! Expressions are written without branches where they are cheap: whatever can fail adds to a *pending*
//! flag, under the condition (*active*) that evaluation gets there at all. `settle` leaves for the exit
//! `ask` where something is pending; it must be called before anything is stored or decided. At that exit
//! the caller asks the evaluator for the whole instance, so code needs to know *that* something is wrong, never
//! what. It also leaves there where it is merely unsure, such as near a limit.
//!
//! Invariant: an address is in bounds even where a fault is pending.

use super::frame::Offset;
use super::order::Multisets;
use super::value::Val;
use crate::compile::layout::{Field, Layout};
use crate::ir::eval::Options;
use crate::ir::{ExprId, Model, Types};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};

/// Why code was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A slot is addressed at run time: the state must stand in memory.
    NeedsMemory,
    /// Left to the evaluator, for this reason.
    Unsupported(&'static str),
}

pub type Emit<T> = Result<T, Refusal>;

const READ_ONLY: &str = "it stores where only reading is allowed";

/// Instructions of one function, beyond which it is left to the evaluator.
const INSTRUCTIONS_MAX: usize = 60_000;
/// Inlined calls, expressions and statements nested in each other.
const DEPTH_MAX: u32 = 400;
/// Iterations and calls that code without loops may do.
const COUNTED_MAX: u64 = 65_536;

/// Where the state that is read and written stands.
#[derive(Clone, Debug)]
pub enum Home {
    /// In memory, never written.
    Input(Value),
    /// In variables of the function, one a word.
    Words(Vec<Variable>),
    /// In memory, written in place.
    Memory(Value),
}

/// What the writer of any function of a model needs to know.
pub struct Plan<'m> {
    pub model: &'m Model,
    pub layout: Layout,
    /// How generated code calls out.
    pub call_conv: CallConv,
    pub multisets: Box<Multisets>,
    pub options: Options,
    /// Where each slot stands: eight times its word, shifted left by 8, plus its shift.
    pub table: Box<[u32]>,
    /// One byte for each `cover` statement.
    pub covered: Box<[std::sync::atomic::AtomicU8]>,
    /// Estimated instructions of each expression.
    pub costs: Vec<u32>,
    /// Which slots belong to variables with multisets.
    pub in_multiset: Vec<bool>,
}

/// Where control goes when an instance does not simply go on.
#[derive(Clone, Copy, Debug)]
pub struct Exits {
    pub ask: Block,
    pub assumed: Block,
}

pub struct Emitter<'a, 'b, 'm> {
    pub builder: &'a mut FunctionBuilder<'b>,
    pub plan: &'a Plan<'m>,
    pub model: &'m Model,
    pub home: Home,
    pub exits: Exits,
    /// Under what condition the expression being written is evaluated at all; none for "always".
    pub active: Option<Value>,
    pub pending: Option<Value>,
    pub frames: Vec<super::frame::Frame>,
    /// Functions being inlined.
    pub calls: Vec<crate::ir::FuncId>,
    pub returning: Vec<super::calls::Returning>,
    pub depth: u32,
    /// Iterations and calls written so far; loops left in the code count their rounds at run time.
    pub counted: u64,
    /// Counts (at least) the iterations and calls of the run; only where there are loops.
    pub steps: Variable,
    pub wrote_multiset: bool,
}

pub fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

impl<'a, 'b, 'm> Emitter<'a, 'b, 'm> {
    pub fn new(builder: &'a mut FunctionBuilder<'b>, plan: &'a Plan<'m>, home: Home, exits: Exits) -> Self {
        let steps = builder.declare_var(I64);
        let zero = builder.ins().iconst(I64, 0);
        builder.def_var(steps, zero);
        Emitter {
            builder,
            plan,
            model: plan.model,
            home,
            exits,
            active: None,
            pending: None,
            frames: Vec::new(),
            calls: Vec::new(),
            returning: Vec::new(),
            depth: 0,
            counted: 0,
            steps,
            wrote_multiset: false,
        }
    }

    pub fn types(&self) -> &'m Types {
        &self.model.types
    }

    pub fn cost(&self, expr: ExprId) -> u32 {
        self.plan.costs[expr.0 as usize]
    }

    pub fn deeper(&mut self) -> Emit<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Refusal::Unsupported("it nests too deeply"));
        }
        if self.builder.func.dfg.num_insts() > INSTRUCTIONS_MAX {
            return Err(Refusal::Unsupported("its code would be too large"));
        }
        Ok(())
    }

    /// Counts one iteration or call that is written out.
    pub fn count_one(&mut self) -> Emit<()> {
        self.counted += 1;
        // Guard and action are counted apart, but limited together.
        if self.counted > COUNTED_MAX.min(self.plan.options.steps_max / 2) {
            return Err(Refusal::Unsupported("it may take very many steps"));
        }
        Ok(())
    }

    pub fn int(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(I64, value)
    }

    pub fn flag(&mut self, value: bool) -> Value {
        self.builder.ins().iconst(I8, i64::from(value))
    }

    /// The value in a machine word.
    pub fn word(&mut self, val: Val) -> Value {
        match val.base {
            None => self.int(val.add),
            Some(base) if val.add == 0 => base,
            Some(base) => {
                let add = self.int(val.add);
                self.builder.ins().iadd(base, add)
            }
        }
    }

    /// A flag (one byte, 0 or 1) as a value.
    pub fn of_flag(&mut self, flag: Value) -> Val {
        let word = self.builder.ins().uextend(I64, flag);
        Val::word(word, 0, 1)
    }

    /// A boolean value as a flag.
    pub fn flag_of(&mut self, val: Val) -> Value {
        match val.known() {
            Some(value) => self.flag(value != 0),
            None => self.compare(IntCC::NotEqual, val, Val::constant(0)),
        }
    }

    pub fn compare(&mut self, cc: IntCC, a: Val, b: Val) -> Value {
        // Equality survives moving the constants to one side; order does not, where that wraps around.
        let equality = matches!(cc, IntCC::Equal | IntCC::NotEqual);
        match (a.base, b.base) {
            (Some(base), None) if equality => {
                let other = self.int(b.add.wrapping_sub(a.add));
                self.builder.ins().icmp(cc, base, other)
            }
            (Some(x), Some(y)) if equality && a.add == b.add => self.builder.ins().icmp(cc, x, y),
            _ => {
                let (a, b) = (self.word(a), self.word(b));
                self.builder.ins().icmp(cc, a, b)
            }
        }
    }

    pub fn and(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => self.builder.ins().band(a, b),
            None => b,
        }
    }

    /// Notes that something is wrong where the flag is set and evaluation gets here.
    pub fn fault_if(&mut self, wrong: Value) {
        let wrong = self.and(self.active, wrong);
        self.pending = Some(match self.pending {
            Some(pending) => self.builder.ins().bor(pending, wrong),
            None => wrong,
        });
    }

    pub fn fault_always(&mut self) {
        let wrong = self.flag(true);
        self.fault_if(wrong);
    }

    /// Leaves where something is pending.
    pub fn settle(&mut self) {
        if let Some(pending) = self.pending.take() {
            let next = self.builder.create_block();
            self.builder.ins().brif(pending, self.exits.ask, &[], next, &[]);
            self.builder.switch_to_block(next);
        }
    }

    /// The same before something is stored for good. Under a condition nothing is: whoever sets it settles behind it.
    pub fn settle_for_good(&mut self) {
        if self.active.is_none() {
            self.settle();
        }
    }

    /// Branches on a flag; nothing may be pending.
    pub fn branch(&mut self, flag: Value, then: Block, otherwise: Block) {
        self.builder.ins().brif(flag, then, &[], otherwise, &[]);
    }

    pub fn goto(&mut self, block: Block) {
        self.builder.ins().jump(block, &[]);
    }

    pub fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub fn at(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    /// Writes something that needs branches: where it is not evaluated at all, its value is 0.
    pub fn guarded(&mut self, write: impl FnOnce(&mut Self) -> Emit<Val>) -> Emit<Val> {
        self.settle();
        let Some(active) = self.active.take() else {
            let val = write(self)?;
            self.settle();
            return Ok(val);
        };
        let result = self.builder.declare_var(I64);
        let zero = self.int(0);
        self.builder.def_var(result, zero);
        let (run, join) = (self.block(), self.block());
        self.branch(active, run, join);
        self.at(run);
        let val = write(self)?;
        self.settle();
        let word = self.word(val);
        self.builder.def_var(result, word);
        self.goto(join);
        self.at(join);
        self.active = Some(active);
        let word = self.builder.use_var(result);
        Ok(Val::word(word, val.lo.min(0), val.hi.max(0)))
    }

    /// The code in a slot known now.
    pub fn load_code(&mut self, field: Field) -> Value {
        let offset = field.word as i32 * 8;
        let word = match &self.home {
            Home::Input(base) => {
                let base = *base;
                let flags = trusted().with_readonly().with_can_move();
                self.builder.ins().load(I64, flags, base, offset)
            }
            Home::Memory(base) => {
                let base = *base;
                self.builder.ins().load(I64, trusted(), base, offset)
            }
            Home::Words(words) => {
                let word = words[field.word as usize];
                self.builder.use_var(word)
            }
        };
        self.extract(word, field)
    }

    fn extract(&mut self, word: Value, field: Field) -> Value {
        let mut code = word;
        if field.shift > 0 && field.shift < 64 {
            let shift = self.int(i64::from(field.shift));
            code = self.builder.ins().ushr(code, shift);
        }
        if u32::from(field.shift) + u32::from(field.width) < 64 || field.width == 0 {
            let mask = self.int(field.mask() as i64);
            code = self.builder.ins().band(code, mask);
        }
        code
    }

    pub fn store_code(&mut self, field: Field, code: Value) -> Emit<()> {
        let shift = self.int(i64::from(field.shift & 63));
        let keep = self.int(!(field.mask() << (field.shift & 63)) as i64);
        let moved = self.builder.ins().ishl(code, shift);
        let offset = field.word as i32 * 8;
        match &self.home {
            Home::Input(_) => return Err(Refusal::Unsupported(READ_ONLY)),
            Home::Memory(base) => {
                let base = *base;
                let old = self.builder.ins().load(I64, trusted(), base, offset);
                let rest = self.builder.ins().band(old, keep);
                let new = self.builder.ins().bor(rest, moved);
                let new = self.if_active(new, old);
                self.builder.ins().store(trusted(), new, base, offset);
            }
            Home::Words(words) => {
                let word = words[field.word as usize];
                let old = self.builder.use_var(word);
                let rest = self.builder.ins().band(old, keep);
                let new = self.builder.ins().bor(rest, moved);
                self.change(word, new);
            }
        }
        Ok(())
    }

    /// The new value where evaluation gets here, else the old one.
    pub fn if_active(&mut self, new: Value, old: Value) -> Value {
        match self.active {
            Some(active) => self.builder.ins().select(active, new, old),
            None => new,
        }
    }

    /// Gives a variable a new value, where evaluation gets here.
    pub fn change(&mut self, variable: Variable, new: Value) {
        let old = if self.active.is_some() { self.builder.use_var(variable) } else { new };
        let new = self.if_active(new, old);
        self.builder.def_var(variable, new);
    }

    /// What the table says of a slot known only at run time: its word and, in the lowest bits, its shift.
    fn find_slot(&mut self, slot: u32, at: Offset) -> Value {
        let table = self.int(self.plan.table.as_ptr() as i64 + i64::from(slot) * 4);
        let two = self.int(2);
        let offset = self.builder.ins().ishl(at.cells, two);
        let entry = self.builder.ins().iadd(table, offset);
        let entry = self.builder.ins().load(I32, trusted().with_readonly(), entry, 0);
        self.builder.ins().uextend(I64, entry)
    }

    /// The variable of the one word that has all the slots in question; else they must stand in memory.
    fn common_word(&self, words: &[Variable], slot: u32, at: Offset) -> Emit<Variable> {
        let fields = self.plan.layout.fields().get(slot as usize..=(slot + at.most) as usize);
        match fields {
            Some(fields) if fields.iter().all(|field| field.word == fields[0].word) => {
                Ok(words[fields[0].word as usize])
            }
            _ => Err(Refusal::NeedsMemory),
        }
    }

    /// The address of the word that the table names.
    fn address(&mut self, base: Value, entry: Value) -> Value {
        let eight = self.int(8);
        let offset = self.builder.ins().ushr(entry, eight);
        self.builder.ins().iadd(base, offset)
    }

    pub fn load_code_at(&mut self, slot: u32, at: Offset, like: Field) -> Emit<Value> {
        let entry = self.find_slot(slot, at);
        let word = match &self.home {
            Home::Words(words) => {
                let word = self.common_word(words, slot, at)?;
                self.builder.use_var(word)
            }
            Home::Input(base) | Home::Memory(base) => {
                let address = self.address(*base, entry);
                self.builder.ins().load(I64, trusted(), address, 0)
            }
        };
        // Shifts look at the lowest six bits alone.
        let code = self.builder.ins().ushr(word, entry);
        let mask = self.int(like.mask() as i64);
        Ok(self.builder.ins().band(code, mask))
    }

    pub fn store_code_at(&mut self, slot: u32, at: Offset, like: Field, code: Value) -> Emit<()> {
        let entry = self.find_slot(slot, at);
        let mask = self.int(like.mask() as i64);
        let mask = self.builder.ins().ishl(mask, entry);
        let moved = self.builder.ins().ishl(code, entry);
        match &self.home {
            Home::Input(_) => return Err(Refusal::Unsupported(READ_ONLY)),
            Home::Words(words) => {
                let word = self.common_word(words, slot, at)?;
                let old = self.builder.use_var(word);
                let rest = self.builder.ins().band_not(old, mask);
                let new = self.builder.ins().bor(rest, moved);
                self.change(word, new);
            }
            Home::Memory(base) => {
                let address = self.address(*base, entry);
                let old = self.builder.ins().load(I64, trusted(), address, 0);
                let rest = self.builder.ins().band_not(old, mask);
                let new = self.builder.ins().bor(rest, moved);
                let new = self.if_active(new, old);
                self.builder.ins().store(trusted(), new, address, 0);
            }
        }
        Ok(())
    }
}
