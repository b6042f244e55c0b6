//! One canonical byte form of a state, for the store of brute force: simpler than packing, so that it can judge it.
//!
//! Each slot is one number: 0 for undefined, otherwise one more than the zigzag of the value, in groups of
//! seven bits, least first. Equal states have equal bytes, and different states have different bytes.

use super::eval::State;
use super::model::UNDEFINED;

pub fn encode(state: &[i64]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(state.len());
    for &value in state {
        let mut rest = if value == UNDEFINED { 0 } else { zigzag(value) + 1 };
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes.into_boxed_slice()
}

/// The state of an encoding; bytes that are not one give some state or a short one, never a panic.
pub fn decode(bytes: &[u8]) -> State {
    let mut state = Vec::new();
    let (mut number, mut shift) = (0u64, 0u32);
    for &byte in bytes {
        number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte & 0x80 == 0 {
            state.push(if number == 0 { UNDEFINED } else { unzigzag(number - 1) });
            (number, shift) = (0, 0);
        }
    }
    state.into_boxed_slice()
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_comes_back() {
        let state = [UNDEFINED, 0, 1, -1, 63, -64, 64, 1 << 40, i64::MAX, i64::MIN + 1];
        assert_eq!(*decode(&encode(&state)), state);
        assert_eq!(encode(&[UNDEFINED, 0, -1]).as_ref(), &[0, 1, 2]);
    }
}
