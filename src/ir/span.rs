//! Where a part of the IR stands in the model's text.
//!
//! In: byte offsets. Out: lines and columns for messages. The IR keeps its own copy of the text's line
//! starts, so that faults found at run time can be located without the parser's data.

use serde::Serialize;

/// A half-open range of byte offsets into the model's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// The name and text of the model, for turning spans into what people read.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceMap {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceMap {
        let text: String = text.into();
        let mut line_starts = vec![0];
        line_starts
            .extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(at, _)| at as u32 + 1));
        SourceMap { name: name.into(), text, line_starts }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Line and column of an offset, both from 1, the column in characters.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.line_starts.get(line).copied().unwrap_or(0) as usize;
        let before = self.text.get(start..offset as usize).unwrap_or("");
        (line as u32 + 1, before.chars().count() as u32 + 1)
    }

    /// `file:line:column` of where a span begins.
    pub fn locate(&self, span: Span) -> String {
        let (line, column) = self.line_column(span.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// The text under a span, empty where it does not fit.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}
