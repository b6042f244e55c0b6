//! From a model to a program that engines run on packed states.

pub mod canonical;

/// Maps the states of one orbit to one of them.
pub trait Canonical: Send {
    /// Works on one value a slot; multisets are in canonical order before and after.
    fn canonicalise(&mut self, state: &mut [i64]);
}
