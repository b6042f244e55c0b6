//! Successors on their way into the store: with how they were reached, and gathered until they are inserted together.

use super::StateRef;
use crate::compile::InstanceNo;

/// How a state was reached: what travels with it.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) parent: StateRef,
    pub(super) step: InstanceNo,
    pub(super) level: u32,
}

/// Successors that this rank owns, until they are inserted together.
#[derive(Default)]
pub(super) struct Pending {
    pub(super) states: Vec<u64>,
    pub(super) origins: Vec<(u128, Origin)>,
}
