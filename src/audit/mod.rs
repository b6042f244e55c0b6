//! Brute force: breadth-first search with exact states in one process, replay of traces, sets of views of components, and
//! the check of certificates.
//!
//! It uses no engine, no compiler and no diagrams but the few lines of its own (`decision.rs`), only `ir::eval`; it is what
//! engines are checked against.

mod ask;
pub mod brute;
pub mod certificate;
pub mod certify;
mod decision;
pub mod diagram;
mod follows;
mod form;
mod graph;
pub mod helpful;
pub mod implication;
mod meaning;
mod outcome;
mod pairs;
mod pieces;
pub mod replay;
pub mod replay_lasso;
mod response;
pub mod setwise;
pub mod share;
pub mod split;
pub mod streett;
pub mod symmetry;
pub mod views;

pub use brute::{DeadlockMode, Options, Progress, SymmetryMode, brute};
pub use helpful::{FreedomFacts, freedom, helpful_steps, out_of_reach};
pub use outcome::Outcome;
pub use replay::{ReplayError, replay};
pub use replay_lasso::{LassoError, replay_lasso};
pub use response::{Cycle, fair_cycle};
