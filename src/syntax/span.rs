//! Where things stand in the text: byte spans, and the source that turns them into lines.
//!
//! In: the bytes of one model and the name to show for it. Out: `Source`, which answers "which line and
//! column is this offset" in time logarithmic in the number of lines. Invariant: every span handed out by
//! the lexer and the parser lies inside the text and on character borders. Texts over 4 GiB are refused
//! by `Source::from_bytes`, so that 32-bit offsets suffice.

use std::fmt;

/// A half-open range of byte offsets into one `Source`.
///
/// Equality is deliberately blind: two syntax trees are equal when they read the same, wherever their
/// parts stand. Compare `start` and `end` to compare places.
#[derive(Clone, Copy, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span just behind this one: where something missing should have stood.
    pub fn after(self) -> Span {
        Span { start: self.end, end: self.end }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A place as people count: both from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// Why bytes cannot become a `Source`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SourceError {
    #[error("line {line}, byte {column}: the text is not valid UTF-8 (byte 0x{byte:02X})")]
    NotUtf8 { line: u32, column: u32, byte: u8 },
    #[error("the text is larger than 4 GiB")]
    TooLarge,
}

/// Whether a byte can stand in a Latin-1 text.
fn is_text(byte: u8) -> bool {
    !byte.is_ascii_control() || byte.is_ascii_whitespace() || byte == 0x0B
}

/// The text of one model, its name for messages, and where its lines begin.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Takes text that is known to be UTF-8. Text beyond 4 GiB is cut there; `from_bytes` refuses it instead.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let mut text: String = text.into();
        if text.len() >= u32::MAX as usize {
            let cut = (0..u32::MAX as usize).rev().find(|&at| text.is_char_boundary(at));
            text.truncate(cut.unwrap_or(0));
        }
        let mut line_starts = vec![0];
        line_starts
            .extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(at, _)| at as u32 + 1));
        Source { name: name.into(), text, line_starts }
    }

    /// Takes a file's bytes. Text that is not UTF-8 is read as Latin-1, as old models have it in their
    /// comments; with control characters in it, it is no text, and an error with its line and column.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Source, SourceError> {
        if bytes.len() >= u32::MAX as usize {
            return Err(SourceError::TooLarge);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) if error.as_bytes().iter().all(|&byte| is_text(byte)) => {
                let bytes = error.as_bytes();
                if bytes.len() >= u32::MAX as usize / 2 {
                    return Err(SourceError::TooLarge);
                }
                Ok(Source::new(name, bytes.iter().map(|&byte| char::from(byte)).collect::<String>()))
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let before = &error.as_bytes()[..at];
                let line = before.iter().filter(|&&b| b == b'\n').count() as u32 + 1;
                let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
                let byte = error.as_bytes()[at];
                Err(SourceError::NotUtf8 { line, column: (at - line_start) as u32 + 1, byte })
            }
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn len(&self) -> u32 {
        self.text.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text under a span; empty where the span does not fit this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The line, from 0, that an offset lies on.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    pub fn place(&self, offset: u32) -> Place {
        let line = self.line_of(offset);
        let before = self.slice(Span::new(self.line_starts[line], offset.min(self.len())));
        Place { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// The text of a line, from 0, without its line end.
    pub fn line_text(&self, line: usize) -> &str {
        let Some(&start) = self.line_starts.get(line) else { return "" };
        let end = self.line_starts.get(line + 1).copied().unwrap_or(self.len());
        self.slice(Span::new(start, end)).trim_end_matches(['\n', '\r'])
    }

    /// The offset at which a line, from 0, begins.
    pub fn line_start(&self, line: usize) -> u32 {
        self.line_starts.get(line).copied().unwrap_or(self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let source = Source::new("m", "ab\r\n\tä≤x\n");
        assert_eq!(source.place(0), Place { line: 1, column: 1 });
        assert_eq!(source.place(10), Place { line: 2, column: 4 });
        assert_eq!(source.line_text(0), "ab");
        assert_eq!(source.line_text(1), "\tä≤x");
        assert_eq!(source.line_text(7), "");
    }

    #[test]
    fn a_stray_byte_is_located() {
        let error = Source::from_bytes("m", b"ok\nab\xffc\x01".to_vec()).unwrap_err();
        assert_eq!(error, SourceError::NotUtf8 { line: 2, column: 3, byte: 0xff });
    }
}
