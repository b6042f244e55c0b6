//! Results as people and programs read them. Plain data in, text out; nothing is decided here.

pub mod certified;
pub mod comm;
pub mod compare;
pub mod document;
pub mod itf;
pub mod progress;
pub mod table;
pub mod text;
