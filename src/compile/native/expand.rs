//! Code that tries the instances of several rules in one state.
//!
//! For each instance: the guard straight from the packed state; where it holds, a call of the action, which
//! writes the successor behind those found so far; the cursors move on only where that state is another one.
//! Instances that need the evaluator are noted as questions. All guards of a function see the same loads and
//! comparisons, so what they share is computed once.

use super::action::{ASK, Which};
use super::call;
use super::emit::{Emit, Emitter, Exits, Home, Plan, Refusal, trusted};
use crate::ir::model::Rule;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, Value};
use cranelift_frontend::{FunctionBuilder, Variable};

/// What code of one rule is made of.
pub struct Part<'m> {
    pub rule: &'m Rule,
    /// The rule's position.
    pub at: usize,
    /// The number of its first instance.
    pub first: u32,
    pub instances: u64,
    pub actions: Actions,
}

pub enum Actions {
    /// One function an instance; the guards are written one by one, too.
    Each(Vec<FuncRef>),
    /// One for all; so is the guard, in a loop.
    All(FuncRef),
}

/// The guard of one instance: on return, code stands where it holds; elsewhere it went to `disabled`.
/// False where it never holds, and there is nothing to go on with.
pub fn guard<'m>(
    emitter: &mut Emitter<'_, '_, 'm>,
    rule: &'m Rule,
    which: Which,
    disabled: Block,
) -> Emit<bool> {
    emitter.enter_expression(&rule.frame)?;
    emitter.bind_all(&rule.binders, which, disabled)?;
    let Some(guard) = rule.guard else {
        emitter.settle();
        return Ok(true);
    };
    let val = emitter.expr(guard)?;
    if let Some(value) = val.known() {
        emitter.settle();
        if value == 0 {
            emitter.goto(disabled);
        }
        return Ok(value != 0);
    }
    let flag = emitter.flag_of(val);
    // One branch decides both "enabled" and "something is wrong", as neither is usual.
    let worth = match emitter.pending {
        Some(pending) => emitter.builder.ins().bor(flag, pending),
        None => flag,
    };
    let hit = emitter.block();
    emitter.branch(worth, hit, disabled);
    emitter.at(hit);
    emitter.settle();
    Ok(true)
}

struct Cursors {
    out: Variable,
    steps: Variable,
    fired: Variable,
    ports: Value,
    state: Value,
    by_rule: Value,
}

/// Writes the whole function; its parameters are the ports and the state.
pub fn expander<'m>(builder: &mut FunctionBuilder, plan: &Plan<'m>, parts: &[Part<'m>]) -> Emit<()> {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let [ports, state] = builder.block_params(entry)[..] else {
        return Err(Refusal::Unsupported("its function has another signature"));
    };
    let [out, steps, fired] = [(); 3].map(|()| builder.declare_var(I64));
    for (variable, offset) in [(out, call::OUT), (steps, call::STEPS)] {
        let word = builder.ins().load(I64, trusted(), ports, offset);
        builder.def_var(variable, word);
    }
    let zero = builder.ins().iconst(I64, 0);
    builder.def_var(fired, zero);
    let by_rule = builder.ins().load(I64, trusted(), ports, call::FIRED_BY_RULE);
    let cursors = Cursors { out, steps, fired, ports, state, by_rule };
    for part in parts {
        match &part.actions {
            Actions::Each(actions) => {
                for (index, &action) in actions.iter().enumerate() {
                    instance(builder, plan, &cursors, part, Which::One(index as u64), action)?;
                }
            }
            Actions::All(action) => all_instances(builder, plan, &cursors, part, *action)?,
        }
    }
    for (variable, offset) in [(out, call::OUT), (steps, call::STEPS), (fired, call::FIRED)] {
        let word = builder.use_var(variable);
        builder.ins().store(trusted(), word, ports, offset);
    }
    builder.ins().return_(&[]);
    Ok(())
}

fn all_instances<'m>(
    builder: &mut FunctionBuilder,
    plan: &Plan<'m>,
    cursors: &Cursors,
    part: &Part<'m>,
    action: FuncRef,
) -> Emit<()> {
    let index = builder.declare_var(I64);
    let zero = builder.ins().iconst(I64, 0);
    builder.def_var(index, zero);
    let [head, inside, done] = [(); 3].map(|()| builder.create_block());
    builder.ins().jump(head, &[]);
    builder.switch_to_block(head);
    let now = builder.use_var(index);
    let count = builder.ins().iconst(I64, part.instances as i64);
    let more = builder.ins().icmp(IntCC::UnsignedLessThan, now, count);
    builder.ins().brif(more, inside, &[], done, &[]);
    builder.switch_to_block(inside);
    instance(builder, plan, cursors, part, Which::Any(now), action)?;
    let one = builder.ins().iconst(I64, 1);
    let next = builder.ins().iadd(now, one);
    builder.def_var(index, next);
    builder.ins().jump(head, &[]);
    builder.switch_to_block(done);
    Ok(())
}

fn instance<'m>(
    builder: &mut FunctionBuilder,
    plan: &Plan<'m>,
    cursors: &Cursors,
    part: &Part<'m>,
    which: Which,
    action: FuncRef,
) -> Emit<()> {
    let [next, ask, assumed] = [(); 3].map(|()| builder.create_block());
    builder.set_cold_block(ask);
    builder.set_cold_block(assumed);
    let mut emitter = Emitter::new(builder, plan, Home::Input(cursors.state), Exits { ask, assumed });
    let fires = guard(&mut emitter, part.rule, which, next)?;
    let number = |builder: &mut FunctionBuilder| {
        let first = builder.ins().iconst(I64, i64::from(part.first));
        match which {
            Which::One(index) => builder.ins().iconst(I64, i64::from(part.first) + index as i64),
            Which::Any(index) => builder.ins().iadd(first, index),
        }
    };
    if fires {
        let index = match which {
            Which::One(index) => builder.ins().iconst(I64, index as i64),
            Which::Any(index) => index,
        };
        let out = builder.use_var(cursors.out);
        let called = builder.ins().call(action, &[cursors.state, out, index]);
        let code = builder.inst_results(called)[0];
        let least = builder.ins().iconst(I64, ASK);
        let odd = builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, code, least);
        let [fired, strange] = [(); 2].map(|()| builder.create_block());
        builder.set_cold_block(strange);
        builder.ins().brif(odd, strange, &[], fired, &[]);
        builder.switch_to_block(strange);
        let is_ask = builder.ins().icmp(IntCC::Equal, code, least);
        builder.ins().brif(is_ask, ask, &[], assumed, &[]);
        builder.switch_to_block(fired);
        let number = number(builder);
        advance(builder, plan, cursors, part.at, code, number);
        builder.ins().jump(next, &[]);
    }
    builder.switch_to_block(ask);
    let number = number(builder);
    let at = builder.ins().load(I64, trusted(), cursors.ports, call::QUESTIONS);
    let number = builder.ins().ireduce(I32, number);
    builder.ins().store(trusted(), number, at, 0);
    let four = builder.ins().iconst(I64, 4);
    let at = builder.ins().iadd(at, four);
    builder.ins().store(trusted(), at, cursors.ports, call::QUESTIONS);
    builder.ins().jump(next, &[]);
    builder.switch_to_block(assumed);
    increment(builder, cursors.ports, call::ASSUMED);
    builder.ins().jump(next, &[]);
    builder.switch_to_block(next);
    Ok(())
}

/// Notes a step; the cursors move on where `moved` is 1.
fn advance(
    builder: &mut FunctionBuilder,
    plan: &Plan,
    cursors: &Cursors,
    rule: usize,
    moved: Value,
    number: Value,
) {
    increment(builder, cursors.by_rule, rule as i32 * 8);
    let fired = builder.use_var(cursors.fired);
    let one = builder.ins().iconst(I64, 1);
    let fired = builder.ins().iadd(fired, one);
    builder.def_var(cursors.fired, fired);
    let steps = builder.use_var(cursors.steps);
    let number = builder.ins().ireduce(I32, number);
    builder.ins().store(trusted(), number, steps, 0);
    for (variable, bytes) in [(cursors.out, plan.layout.words() as i64 * 8), (cursors.steps, 4)] {
        let by = builder.ins().iconst(I64, bytes);
        let by = builder.ins().imul(moved, by);
        let at = builder.use_var(variable);
        let at = builder.ins().iadd(at, by);
        builder.def_var(variable, at);
    }
}

fn increment(builder: &mut FunctionBuilder, base: Value, offset: i32) {
    let old = builder.ins().load(I64, trusted(), base, offset);
    let one = builder.ins().iconst(I64, 1);
    let new = builder.ins().iadd(old, one);
    builder.ins().store(trusted(), new, base, offset);
}
