//! Proof by components: each process of the model is one, and knows the shared state and its own.
//!
//! `parts.rs` cuts a model into components and lays out the bits that they share. `split.rs` computes the strongest split
//! invariant on all ranks, and the thread-modular variant; `interference.rs` joins what the others do to a component.
//! `spread.rs` closes a theta that is most of the work on all ranks together, each in one of the `windows.rs` of it.
//! `symmetry.rs` computes one component of those that differ by their names alone, which `automorphism.rs` finds, trying
//! renamings (`renaming.rs`) where slots have values that occur (`occurring.rs`).
//! `pieces.rs` takes properties apart into what concerns few components, `judge.rs` checks the pieces, with `rough.rs` for many
//! and `candidates.rs` one by one; `refine.rs` finds what must be exposed when they do not follow. `phases.rs` tells how long things take. `recheck.rs` checks a finished proof anew; `proof.rs` is the loop; `certificate.rs`
//! writes the result as plain data.
//!
//! What a component's theta says is a diagram over shared bits, auxiliary bits and its own bits; all components use the
//! same variables for their own bits, so that thousands of components need few variables.

pub mod automorphism;
pub mod candidates;
pub mod certificate;
pub mod interference;
pub mod judge;
pub mod member;
pub mod occurring;
pub mod parts;
pub mod phases;
pub mod pieces;
pub mod proof;
pub mod recheck;
pub mod refine;
pub mod renaming;
pub mod rough;
pub mod split;
pub mod spread;
pub mod symmetry;
pub mod transparent;
pub mod windows;

pub use parts::{Auxiliary, Parts};
