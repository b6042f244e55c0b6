//! Results as people and programs read them. Plain data in, text out; nothing is computed here.

pub mod comm;
pub mod table;
