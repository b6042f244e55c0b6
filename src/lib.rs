//! `verify`: an MPI batch verifier for concurrent protocols written in Murphi.
//!
//! The rooms, what lives in each and which may use which are listed in ARCHITECTURE.md;
//! `tests/tidy.rs` checks that the code keeps to that list.

pub mod audit;
pub mod base;
pub mod cli;
pub mod comm;
pub mod compile;
pub mod compose;
pub mod exchange;
pub mod explore;
pub mod host;
pub mod ir;
pub mod job;
pub mod lower;
pub mod property;
pub mod report;
pub mod sim;
pub mod symbolic;
pub mod syntax;
pub mod verdict;
