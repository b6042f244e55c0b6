//! The ground floor: small pieces that every room may use and that use no room themselves.
//!
//! Nothing here knows of models, messages or files.

pub mod hash;
pub mod ids;
pub mod lines;
pub mod numbers;
pub mod pages;
pub mod prefetch;
pub mod prng;
pub mod size;
pub mod stack;
pub mod wire;
pub mod words;

pub use ids::Rank;
