//! Code that tells whether properties hold in a state.
//!
//! A property's judge answers `FINE` or `LOOK`: the evaluator then says what is wrong, if anything is. A
//! predicate's judge answers for one instance: `NO`, `YES`, `NONE` where a chosen position is empty, or `UNSURE`.

use super::action::Which;
use super::emit::{Emit, Emitter, Exits, Home, Plan, Refusal};
use crate::ir::model::{Frame, instance_count};
use crate::ir::{Binder, ExprId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

pub const FINE: u64 = 0;
pub const LOOK: u64 = 1;

pub const NO: u64 = 0;
pub const YES: u64 = 1;
pub const NONE: u64 = 2;
pub const UNSURE: u64 = 3;

/// Instances up to which a property is written out for each.
const WRITTEN_OUT_MAX: u64 = 32;

/// What is judged: an expression under binders.
#[derive(Clone, Copy)]
pub struct Claim<'m> {
    pub binders: &'m [Binder],
    pub frame: &'m Frame,
    pub expr: ExprId,
}

/// The entry of a judge: the state and the index.
fn enter(builder: &mut FunctionBuilder) -> Emit<(Value, Value)> {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    match builder.block_params(entry)[..] {
        [state, index] => Ok((state, index)),
        _ => Err(Refusal::Unsupported("its function has another signature")),
    }
}

fn answer(builder: &mut FunctionBuilder, block: Block, code: u64) {
    builder.switch_to_block(block);
    let code = builder.ins().iconst(I64, code as i64);
    builder.ins().return_(&[code]);
}

/// Evaluates an instance: a flag, where control comes through; `none` is for empty positions.
fn claim<'m>(emitter: &mut Emitter<'_, '_, 'm>, what: Claim<'m>, which: Which, none: Block) -> Emit<Value> {
    emitter.enter_expression(what.frame)?;
    emitter.bind_all(what.binders, which, none)?;
    let flag = emitter.condition(what.expr)?;
    emitter.settle();
    Ok(flag)
}

/// Looks for an instance whose claim is `wanted`.
pub fn property<'m>(
    builder: &mut FunctionBuilder,
    plan: &Plan<'m>,
    what: Claim<'m>,
    wanted: bool,
) -> Emit<()> {
    let (state, _) = enter(builder)?;
    let look = builder.create_block();
    builder.set_cold_block(look);
    let count = instance_count(what.binders, &plan.model.types);
    if count <= WRITTEN_OUT_MAX {
        for index in 0..count {
            property_instance(builder, plan, (what, wanted), state, Which::One(index), look)?;
        }
    } else {
        let index = builder.declare_var(I64);
        let zero = builder.ins().iconst(I64, 0);
        builder.def_var(index, zero);
        let [head, inside, done] = [(); 3].map(|()| builder.create_block());
        builder.ins().jump(head, &[]);
        builder.switch_to_block(head);
        let now = builder.use_var(index);
        let count = builder.ins().iconst(I64, count as i64);
        let more = builder.ins().icmp(IntCC::UnsignedLessThan, now, count);
        builder.ins().brif(more, inside, &[], done, &[]);
        builder.switch_to_block(inside);
        property_instance(builder, plan, (what, wanted), state, Which::Any(now), look)?;
        let one = builder.ins().iconst(I64, 1);
        let next = builder.ins().iadd(now, one);
        builder.def_var(index, next);
        builder.ins().jump(head, &[]);
        builder.switch_to_block(done);
    }
    let fine = builder.ins().iconst(I64, FINE as i64);
    builder.ins().return_(&[fine]);
    answer(builder, look, LOOK);
    Ok(())
}

fn property_instance<'m>(
    builder: &mut FunctionBuilder,
    plan: &Plan<'m>,
    (what, wanted): (Claim<'m>, bool),
    state: Value,
    which: Which,
    look: Block,
) -> Emit<()> {
    let next = builder.create_block();
    let mut emitter = Emitter::new(builder, plan, Home::Input(state), Exits { ask: look, assumed: next });
    let flag = claim(&mut emitter, what, which, next)?;
    if wanted {
        emitter.branch(flag, look, next)
    } else {
        emitter.branch(flag, next, look)
    }
    emitter.at(next);
    Ok(())
}

/// Evaluates one instance, named at run time.
pub fn predicate<'m>(builder: &mut FunctionBuilder, plan: &Plan<'m>, what: Claim<'m>) -> Emit<()> {
    let (state, index) = enter(builder)?;
    let [none, unsure] = [(); 2].map(|()| builder.create_block());
    let exits = Exits { ask: unsure, assumed: none };
    let mut emitter = Emitter::new(builder, plan, Home::Input(state), exits);
    let flag = claim(&mut emitter, what, Which::Any(index), none)?;
    let word = emitter.builder.ins().uextend(I64, flag);
    emitter.builder.ins().return_(&[word]);
    answer(builder, none, NONE);
    answer(builder, unsure, UNSURE);
    Ok(())
}
