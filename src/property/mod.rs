//! Properties as observers of a search: one file each. A new property adds a file here and a line in `job`.

pub mod deadlock;
pub mod fault;
pub mod freedom;
pub mod invariant;
pub mod reach;
pub mod response;
