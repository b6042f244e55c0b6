//! Values while code is written: a constant, or a machine word plus a constant, with bounds.
//!
//! Codes of slots and values of types differ by a constant, so most conversions between them cost nothing.
//! Bounds hold for values that are really computed; a value read where a fault is pending may lie outside,
//! which is why whoever turns a value into an address clamps it.

use cranelift_codegen::ir::Value;

/// `base + add`, or just `add`; between `lo` and `hi`.
#[derive(Clone, Copy, Debug)]
pub struct Val {
    pub base: Option<Value>,
    pub add: i64,
    pub lo: i64,
    pub hi: i64,
}

impl Val {
    pub fn constant(value: i64) -> Val {
        Val { base: None, add: value, lo: value, hi: value }
    }

    pub fn word(base: Value, lo: i64, hi: i64) -> Val {
        Val { base: Some(base), add: 0, lo, hi }
    }

    /// What the code of a slot stands for, where it is not 0.
    pub fn from_code(code: Value, first: i64, last: i64) -> Val {
        Val { base: Some(code), add: first.wrapping_sub(1), lo: first, hi: last }
    }

    pub fn known(self) -> Option<i64> {
        match self.base {
            None => Some(self.add),
            Some(_) => None,
        }
    }

    pub fn within(self, lo: i64, hi: i64) -> bool {
        lo <= self.lo && self.hi <= hi
    }
}

/// The bounds of an operation, where no result in them overflows.
pub fn fitting(candidates: &[i128]) -> Option<(i64, i64)> {
    let lo = i64::try_from(*candidates.iter().min()?).ok().filter(|&lo| lo > i64::MIN)?;
    let hi = i64::try_from(*candidates.iter().max()?).ok()?;
    Some((lo, hi))
}
