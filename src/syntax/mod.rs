//! Text to syntax tree and back: lexer, parser, spans, diagnostics, source printer.

pub mod ast;
pub mod span;
