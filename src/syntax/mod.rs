//! Text to syntax tree and back: lexer, parser, spans, diagnostics, source printer.
//!
//! `parse` reads a model or says what is wrong with it; it neither panics nor overflows the stack nor runs
//! longer than linear time, whatever the text. `ast` tells what may be relied on about the tree's depth.

pub mod ast;
pub mod diagnostic;
mod lexer;
pub mod nearest;
mod parser;
mod print;
pub mod span;
mod token;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use nearest::nearest;
pub use parser::parse;
pub use print::print;
pub use span::{Place, Source, SourceError, Span};
