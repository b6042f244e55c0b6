//! Code of one rule's action, for one instance or for any.
//!
//! In: the state, room for a successor, the number of the instance. Out: 0 (unchanged) or 1 (moved) with the
//! successor written, or `ASK` or `ASSUMED`. The state's words are kept in variables where every slot the
//! action touches is known while code is written, and in the successor's memory otherwise.

use super::call::{copy_words, order_multisets, words_differ};
use super::calls::{Leaves, Returning};
use super::emit::{Emit, Emitter, Exits, Home, Plan, Refusal, trusted};
use super::frame::{Offset, written};
use super::value::Val;
use crate::ir::model::{Rule, digits};
use crate::ir::{Binder, ParamDomain};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, Signature, Value};
use cranelift_frontend::FunctionBuilder;

pub const ASK: i64 = 2;
pub const ASSUMED: i64 = 3;

/// Words up to which a state is kept in variables, or copied without a call.
const WORDS_MAX: usize = 32;

/// Which instance code is written for.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    One(u64),
    /// The number is known at run time.
    Any(Value),
}

impl<'m> Emitter<'_, '_, 'm> {
    /// Binds the names around a rule or property; goes to `disabled` where a chosen position is empty.
    pub fn bind_all(&mut self, binders: &'m [Binder], which: Which, disabled: Block) -> Emit<()> {
        let values = self.digits(binders, which);
        for (binder, digit) in binders.iter().zip(values) {
            match binder {
                Binder::Param { local, domain, .. } => {
                    let val = self.parameter(domain, digit);
                    self.bind(*local, val)?;
                }
                Binder::Choose { local, set, .. } => {
                    let crate::ir::Type::Multiset { elem, .. } = *self.types().get(set.ty) else {
                        return Err(Refusal::Unsupported("it chooses from what is no multiset"));
                    };
                    let stride = self.types().cells(elem) as u32 + 1;
                    let spot = self.spot(set)?;
                    let here = match digit.known() {
                        Some(digit) => spot.plus(digit as u32 * stride)?,
                        None => {
                            let word = self.word(digit);
                            let most = (binder.radix(self.types()).max(1) as u32 - 1) * stride;
                            let stride = self.int(i64::from(stride));
                            let cells = self.builder.ins().imul(word, stride);
                            self.shifted(spot, Offset { cells, most })?
                        }
                    };
                    let present = self.present(here)?;
                    self.settle();
                    let next = self.block();
                    self.branch(present, next, disabled);
                    self.at(next);
                    self.bind(*local, digit)?;
                }
                Binder::AliasPlace { local, place, .. } => {
                    let spot = self.spot(place)?;
                    self.settle();
                    self.bind_place(*local, spot);
                }
                Binder::AliasValue { local, value, .. } => self.bind_value(*local, *value)?,
            }
        }
        Ok(())
    }

    fn digits(&mut self, binders: &'m [Binder], which: Which) -> Vec<Val> {
        let mut rest = match which {
            Which::One(index) => {
                let digits = digits(binders, self.types(), index);
                return digits.into_iter().map(|digit| Val::constant(digit as i64)).collect();
            }
            Which::Any(index) => index,
        };
        let mut found = vec![Val::constant(0); binders.len()];
        for (at, binder) in binders.iter().enumerate().rev() {
            let radix = binder.radix(self.types()).max(1) as i64;
            if radix > 1 {
                let by = self.int(radix);
                let digit = self.builder.ins().urem(rest, by);
                rest = self.builder.ins().udiv(rest, by);
                found[at] = Val::word(digit, 0, radix - 1);
            }
        }
        found
    }

    fn parameter(&mut self, domain: &ParamDomain, digit: Val) -> Val {
        if let Some(digit) = digit.known() {
            return Val::constant(domain.value(self.types(), digit as u64));
        }
        let last = domain.value(self.types(), domain.count(self.types()) - 1);
        let first = domain.value(self.types(), 0);
        let (lo, hi) = (first.min(last), first.max(last));
        match domain {
            ParamDomain::Type(_) => Val { add: digit.add.wrapping_add(first), lo, hi, ..digit },
            ParamDomain::Steps { step, .. } => {
                let (word, step) = (self.word(digit), self.int(*step));
                let scaled = self.builder.ins().imul(word, step);
                Val { base: Some(scaled), add: first, lo, hi }
            }
        }
    }

    /// Calls a function outside the generated code.
    fn call_out(&mut self, address: i64, args: &[Value], returns: bool) -> Option<Value> {
        let mut signature = Signature::new(self.plan.call_conv);
        signature.params.extend(args.iter().map(|_| AbiParam::new(I64)));
        signature.returns.extend(returns.then(|| AbiParam::new(I64)));
        let signature = self.builder.import_signature(signature);
        let callee = self.int(address);
        let call = self.builder.ins().call_indirect(signature, callee, args);
        self.builder.inst_results(call).first().copied()
    }
}

/// Writes the whole function; its parameters are the state, the successor and the instance.
pub fn action<'m>(
    builder: &mut FunctionBuilder,
    plan: &Plan<'m>,
    rule: &'m Rule,
    index: Option<u64>,
    memory: bool,
) -> Emit<()> {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let [state, out, number] = builder.block_params(entry)[..] else {
        return Err(Refusal::Unsupported("its function has another signature"));
    };
    let exits = Exits { ask: builder.create_block(), assumed: builder.create_block() };
    builder.set_cold_block(exits.ask);
    builder.set_cold_block(exits.assumed);
    let words = plan.layout.words();
    let home = if memory || words > WORDS_MAX {
        Home::Memory(out)
    } else {
        Home::Words((0..words).map(|_| builder.declare_var(I64)).collect())
    };
    let mut emitter = Emitter::new(builder, plan, home, exits);
    emitter.take_in(state, out, words);
    let which = index.map_or(Which::Any(number), Which::One);
    emitter.enter_frame(&rule.frame, written(plan.model, &rule.body))?;
    emitter.bind_all(&rule.binders, which, exits.ask)?;
    emitter.settle();
    let done = emitter.block();
    emitter.returning.push(Returning { exit: done, result: Leaves::Nothing });
    if emitter.statements(&rule.body)? {
        emitter.goto(done);
    }
    emitter.at(done);
    emitter.hand_over(state, out, words);
    for (block, code) in [(exits.ask, ASK), (exits.assumed, ASSUMED)] {
        emitter.at(block);
        let code = emitter.int(code);
        emitter.builder.ins().return_(&[code]);
    }
    Ok(())
}

impl Emitter<'_, '_, '_> {
    fn take_in(&mut self, state: Value, out: Value, words: usize) {
        let flags = trusted().with_readonly().with_can_move();
        match self.home.clone() {
            Home::Words(variables) => {
                for (at, variable) in variables.into_iter().enumerate() {
                    let word = self.builder.ins().load(I64, flags, state, at as i32 * 8);
                    self.builder.def_var(variable, word);
                }
            }
            _ if words <= WORDS_MAX => {
                for at in 0..words as i32 {
                    let word = self.builder.ins().load(I64, flags, state, at * 8);
                    self.builder.ins().store(trusted(), word, out, at * 8);
                }
            }
            _ => {
                let count = self.int(words as i64);
                self.call_out(copy_words as *const () as i64, &[state, out, count], false);
            }
        }
    }

    /// Writes the successor and returns whether it differs from the state.
    fn hand_over(&mut self, state: Value, out: Value, words: usize) {
        let variables = match self.home.clone() {
            Home::Words(variables) => variables,
            _ => Vec::new(),
        };
        let mut current: Vec<Value> = Vec::new();
        for (at, &variable) in variables.iter().enumerate() {
            let word = self.builder.use_var(variable);
            self.builder.ins().store(trusted(), word, out, at as i32 * 8);
            current.push(word);
        }
        if self.wrote_multiset {
            let sets = self.int(std::ptr::from_ref(&*self.plan.multisets) as i64);
            self.call_out(order_multisets as *const () as i64, &[sets, out], false);
            current.clear();
        }
        if words > WORDS_MAX {
            let count = self.int(words as i64);
            if let Some(differ) = self.call_out(words_differ as *const () as i64, &[state, out, count], true)
            {
                self.builder.ins().return_(&[differ]);
            }
            return;
        }
        let flags = trusted().with_readonly().with_can_move();
        let mut difference = self.int(0);
        for at in 0..words {
            let old = self.builder.ins().load(I64, flags, state, at as i32 * 8);
            let new = match current.get(at) {
                Some(&word) => word,
                None => self.builder.ins().load(I64, trusted(), out, at as i32 * 8),
            };
            let changed = self.builder.ins().bxor(old, new);
            difference = self.builder.ins().bor(difference, changed);
        }
        let zero = self.int(0);
        let moved = self.builder.ins().icmp(IntCC::NotEqual, difference, zero);
        let moved = self.builder.ins().uextend(I64, moved);
        self.builder.ins().return_(&[moved]);
    }
}
