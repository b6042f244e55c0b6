//! Code that takes the stable hash of successors, one after the other: XXH3 with 128 bits, written for the words of a
//! state, so that nothing is called or chosen by length.
//!
//! In: packed states side by side. Out: for each, exactly what `base::hash::words` says. States of more than
//! `WORDS_MAX` words are left to that.

use super::emit::{Emit, Refusal, trusted};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

/// Words up to which code is written. Beyond, the hash goes over a state in stripes.
pub const WORDS_MAX: usize = 16;

/// The first 128 bytes of the secret that the format fixes, least byte first.
const SECRET: [u64; 16] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
    0x4c26_3a81_e690_35e0,
    0xcb00_c391_bb52_283c,
    0xa32e_531b_8b65_d088,
    0x4ef9_0da2_9748_6471,
    0xd8ac_dea9_46ef_1938,
    0x3f34_9ce3_3f76_faa8,
    0x1d4f_0bc7_c7bb_dcf9,
    0x3159_b4cd_4be0_518a,
    0x6473_78d9_c97e_9fc8,
];
const PRIME32_2: u64 = 0x85eb_ca77;
const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const MIX_1: u64 = 0x1656_6791_9e37_79f9;
const MIX_2: u64 = 0x9fb2_1c65_1e98_df25;

/// Writes the function: its parameters are the first state, how many there are, and where the hashes go.
pub fn hasher(builder: &mut FunctionBuilder, words: usize) -> Emit<()> {
    if words == 0 || words > WORDS_MAX {
        return Err(Refusal::Unsupported("states of this many words are hashed in stripes"));
    }
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let [states, count, hashes] = builder.block_params(entry)[..] else {
        return Err(Refusal::Unsupported("its function has another signature"));
    };
    let [from, to, left] = [(); 3].map(|()| builder.declare_var(I64));
    for (variable, value) in [(from, states), (to, hashes), (left, count)] {
        builder.def_var(variable, value);
    }
    let [head, inside, done] = [(); 3].map(|()| builder.create_block());
    builder.ins().jump(head, &[]);
    builder.switch_to_block(head);
    let now = builder.use_var(left);
    let zero = builder.ins().iconst(I64, 0);
    let more = builder.ins().icmp(IntCC::NotEqual, now, zero);
    builder.ins().brif(more, inside, &[], done, &[]);
    builder.switch_to_block(inside);
    let (state, hash) = (builder.use_var(from), builder.use_var(to));
    let loaded: Vec<Value> =
        (0..words as i32).map(|at| builder.ins().load(I64, trusted(), state, at * 8)).collect();
    let mut mix = Mix { builder };
    let (low, high) = match loaded[..] {
        [word] => mix.one(word),
        [first, second] => mix.two(first, second),
        _ => mix.many(&loaded),
    };
    builder.ins().store(trusted(), low, hash, 0);
    builder.ins().store(trusted(), high, hash, 8);
    for (variable, by) in [(from, words as i64 * 8), (to, 16), (left, -1)] {
        let old = builder.use_var(variable);
        let by = builder.ins().iconst(I64, by);
        let new = builder.ins().iadd(old, by);
        builder.def_var(variable, new);
    }
    builder.ins().jump(head, &[]);
    builder.switch_to_block(done);
    builder.ins().return_(&[]);
    Ok(())
}

/// The format's arithmetic, all modulo 2^64.
struct Mix<'b, 'f> {
    builder: &'b mut FunctionBuilder<'f>,
}

impl Mix<'_, '_> {
    fn int(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(I64, value as i64)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().iadd(a, b)
    }

    fn xor(&mut self, a: Value, b: Value) -> Value {
        self.builder.ins().bxor(a, b)
    }

    fn xor_with(&mut self, a: Value, known: u64) -> Value {
        let known = self.int(known);
        self.xor(a, known)
    }

    fn times(&mut self, a: Value, known: u64) -> Value {
        let known = self.int(known);
        self.builder.ins().imul(a, known)
    }

    fn shift_left(&mut self, a: Value, by: u64) -> Value {
        let by = self.int(by);
        self.builder.ins().ishl(a, by)
    }

    fn shift_right(&mut self, a: Value, by: u64) -> Value {
        let by = self.int(by);
        self.builder.ins().ushr(a, by)
    }

    fn fold_right(&mut self, a: Value, by: u64) -> Value {
        let moved = self.shift_right(a, by);
        self.xor(a, moved)
    }

    /// The two halves of a product.
    fn product(&mut self, a: Value, b: Value) -> (Value, Value) {
        (self.builder.ins().imul(a, b), self.builder.ins().umulhi(a, b))
    }

    fn avalanche(&mut self, a: Value) -> Value {
        let a = self.fold_right(a, 37);
        let a = self.times(a, MIX_1);
        self.fold_right(a, 32)
    }

    fn one(&mut self, word: Value) -> (Value, Value) {
        let keyed = self.xor_with(word, SECRET[2] ^ SECRET[3]);
        let by = self.int(PRIME64_1.wrapping_add(8 << 2));
        let (low, high) = self.product(keyed, by);
        let doubled = self.shift_left(low, 1);
        let high = self.add(high, doubled);
        let moved = self.shift_right(high, 3);
        let low = self.xor(low, moved);
        let low = self.fold_right(low, 35);
        let low = self.times(low, MIX_2);
        (self.fold_right(low, 28), self.avalanche(high))
    }

    fn two(&mut self, first: Value, second: Value) -> (Value, Value) {
        let both = self.xor(first, second);
        let keyed = self.xor_with(both, SECRET[4] ^ SECRET[5]);
        let by = self.int(PRIME64_1);
        let (low, high) = self.product(keyed, by);
        let length = self.int(15 << 54);
        let low = self.add(low, length);
        let second = self.xor_with(second, SECRET[6] ^ SECRET[7]);
        let mask = self.int(u64::from(u32::MAX));
        let half = self.builder.ins().band(second, mask);
        let half = self.times(half, PRIME32_2 - 1);
        let sum = self.add(second, half);
        let high = self.add(high, sum);
        let swapped = self.builder.ins().bswap(high);
        let low = self.xor(low, swapped);
        let by = self.int(PRIME64_2);
        let (mixed_low, mixed_high) = self.product(low, by);
        let high = self.times(high, PRIME64_2);
        let high = self.add(mixed_high, high);
        (self.avalanche(mixed_low), self.avalanche(high))
    }

    fn many(&mut self, words: &[Value]) -> (Value, Value) {
        let bytes = words.len() as u64 * 8;
        let mut sums = (self.int(bytes.wrapping_mul(PRIME64_1)), self.int(0));
        // Pairs of words from both ends towards the middle, the innermost first; in the middle they may overlap.
        for pair in (0..words.len().div_ceil(4)).rev() {
            let (front, back) = (2 * pair, words.len() - 2 * (pair + 1));
            let (front, back) = ((words[front], words[front + 1]), (words[back], words[back + 1]));
            let key = 4 * pair;
            sums.0 = self.absorb(sums.0, front, key, back);
            sums.1 = self.absorb(sums.1, back, key + 2, front);
        }
        let low = self.add(sums.0, sums.1);
        let (a, b) = (self.times(sums.0, PRIME64_1), self.times(sums.1, PRIME64_4));
        let high = self.add(a, b);
        let length = self.int(bytes.wrapping_mul(PRIME64_2));
        let high = self.add(high, length);
        let high = self.avalanche(high);
        (self.avalanche(low), self.builder.ins().ineg(high))
    }

    /// Adds the mixed pair to a sum, then flips it by the sum of the other pair.
    fn absorb(&mut self, sum: Value, pair: (Value, Value), key: usize, other: (Value, Value)) -> Value {
        let (a, b) = (self.xor_with(pair.0, SECRET[key]), self.xor_with(pair.1, SECRET[key + 1]));
        let (low, high) = self.product(a, b);
        let mixed = self.xor(low, high);
        let sum = self.add(sum, mixed);
        let other = self.add(other.0, other.1);
        self.xor(sum, other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::Code;
    use super::*;
    use crate::base::hash;
    use crate::base::prng::Prng;
    use cranelift_codegen::Context;
    use cranelift_codegen::ir::{Function, UserFuncName};
    use cranelift_frontend::FunctionBuilderContext;

    #[test]
    fn code_for_every_width_says_what_the_stable_hash_says() {
        let (mut code, mut context) = (Code::new().unwrap(), Context::new());
        let mut functions = FunctionBuilderContext::new();
        let mut ids = Vec::new();
        for words in 1..=WORDS_MAX {
            context.clear();
            context.func = Function::with_name_signature(UserFuncName::default(), code.signature(3, 0));
            let mut builder = FunctionBuilder::new(&mut context.func, &mut functions);
            hasher(&mut builder, words).unwrap();
            builder.seal_all_blocks();
            builder.finalize(code.config());
            ids.push((words, code.define(&mut context).unwrap()));
        }
        code.finish().unwrap();
        let mut random = Prng::new(7);
        for (words, id) in ids {
            let mut states: Vec<u64> = (0..words * 200).map(|_| random.next_u64()).collect();
            states[..words * 2].fill(0);
            states[words] = 1;
            let mut hashes = vec![0];
            code.hash(code.hasher(id, words), &states, &mut hashes);
            let expected: Vec<u128> = states.chunks_exact(words).map(hash::words).collect();
            assert_eq!(hashes, expected, "states of {words} words");
        }
    }
}
