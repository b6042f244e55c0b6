//! Code between packed states and one value a slot, slot after slot: for canonical forms, which work on values.

use super::call::{Code, Mover};
use super::emit::{Emit, Refusal, trusted};
use crate::compile::interpret;
use crate::compile::layout::{Field, Layout};
use crate::ir::UNDEFINED;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

/// Slots up to which such code is written.
pub const SLOTS_MAX: usize = 1_000;

/// Finished code of both ways.
pub struct Packing<'c> {
    pub code: &'c Code,
    pub movers: (Mover, Mover),
    pub layout: &'c Layout,
}

impl interpret::Packing for Packing<'_> {
    fn unpack(&self, words: &[u64], state: &mut [i64]) {
        self.code.unpack(self.movers.0, self.layout, words, state);
    }

    fn pack(&self, state: &[i64], words: &mut [u64]) {
        self.code.pack(self.movers.1, self.layout, state, words);
    }
}

/// The entry of a function: where it reads, and where it writes.
fn enter(builder: &mut FunctionBuilder) -> Emit<(Value, Value)> {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    match builder.block_params(entry)[..] {
        [from, to] => Ok((from, to)),
        _ => Err(Refusal::Unsupported("its function has another signature")),
    }
}

/// What a code and its value differ by.
fn distance(field: Field) -> i64 {
    field.first.wrapping_sub(1)
}

/// Writes the function from packed words to values.
pub fn unpack(builder: &mut FunctionBuilder, layout: &Layout) -> Emit<()> {
    let (words, values) = enter(builder)?;
    let loaded: Vec<Value> =
        (0..layout.words() as i32).map(|at| builder.ins().load(I64, trusted(), words, at * 8)).collect();
    let zero = builder.ins().iconst(I64, 0);
    let undefined = builder.ins().iconst(I64, UNDEFINED);
    for (slot, &field) in layout.fields().iter().enumerate() {
        let shift = builder.ins().iconst(I64, i64::from(field.shift & 63));
        let mask = builder.ins().iconst(I64, field.mask() as i64);
        let moved = builder.ins().ushr(loaded[field.word as usize], shift);
        let code = builder.ins().band(moved, mask);
        let add = builder.ins().iconst(I64, distance(field));
        let value = builder.ins().iadd(code, add);
        let none = builder.ins().icmp(IntCC::Equal, code, zero);
        let value = builder.ins().select(none, undefined, value);
        builder.ins().store(trusted(), value, values, slot as i32 * 8);
    }
    builder.ins().return_(&[]);
    Ok(())
}

/// Writes the function from values, each of its slot's type, to packed words.
pub fn pack(builder: &mut FunctionBuilder, layout: &Layout) -> Emit<()> {
    let (values, words) = enter(builder)?;
    let zero = builder.ins().iconst(I64, 0);
    let undefined = builder.ins().iconst(I64, UNDEFINED);
    let mut packed = vec![zero; layout.words()];
    for (slot, &field) in layout.fields().iter().enumerate().filter(|(_, field)| field.width > 0) {
        let value = builder.ins().load(I64, trusted(), values, slot as i32 * 8);
        let by = builder.ins().iconst(I64, distance(field));
        let code = builder.ins().isub(value, by);
        let none = builder.ins().icmp(IntCC::Equal, value, undefined);
        let code = builder.ins().select(none, zero, code);
        let shift = builder.ins().iconst(I64, i64::from(field.shift));
        let moved = builder.ins().ishl(code, shift);
        let word = &mut packed[field.word as usize];
        *word = builder.ins().bor(*word, moved);
    }
    for (at, word) in packed.into_iter().enumerate() {
        builder.ins().store(trusted(), word, words, at as i32 * 8);
    }
    builder.ins().return_(&[]);
    Ok(())
}
