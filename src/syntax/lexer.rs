//! Text to tokens and comments.
//!
//! In: a `Source`. Out: its tokens, ended by one `Eof`, its comments in order, and a diagnostic for every
//! run of characters that no token begins with, every quote and every comment left open. Invariant: the
//! spans are in order, do not overlap and lie on character borders. Each step consumes at least one
//! character, so it ends; time is linear, because after one quote was found open to the end of the text,
//! later quotes are looked for on their own line only.
//!
//! Left out: the value of numbers and the meaning of escapes, which stay in the text.

use super::ast::Comment;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::span::{Source, Span};
use super::token::{CHARACTERS, SIGNS, Tok, Token};

pub struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
}

pub fn lex(source: &Source, diagnostics: &mut Diagnostics) -> Lexed {
    let lexed = Lexed { tokens: Vec::new(), comments: Vec::new() };
    let mut lexer = Lexer { text: source.text(), at: 0, lexed, diagnostics, quote_is_open: false };
    while lexer.step() {}
    let end = source.len();
    lexer.lexed.tokens.push(Token { tok: Tok::Eof, span: Span::new(end, end) });
    lexer.lexed
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lexed: Lexed,
    diagnostics: &'a mut Diagnostics,
    /// A quote was found to be open to the end of the text.
    quote_is_open: bool,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        if first.is_whitespace() || first == '\u{feff}' {
            self.at += first.len_utf8();
        } else if rest.starts_with("--") {
            let length = rest.find('\n').unwrap_or(rest.len());
            self.comment(rest[..length].trim_end().len(), false);
            self.at += length - rest[..length].trim_end().len();
        } else if rest.starts_with("/*") {
            self.block_comment(rest);
        } else if is_name_start(first) {
            let length = rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len());
            self.push(Tok::of_word(&rest[..length]).unwrap_or(Tok::Ident), length);
        } else if first.is_ascii_digit() {
            let (tok, length) = number(rest);
            self.push(tok, length);
        } else if first == '"' || first == '“' {
            self.quoted(rest, first);
        } else if let Some((sign, tok)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            self.push(*tok, sign.len());
        } else if let Some((_, tok)) = CHARACTERS.iter().find(|(known, _)| *known == first) {
            self.push(*tok, first.len_utf8());
        } else {
            self.stray(rest);
        }
        true
    }

    fn push(&mut self, tok: Tok, length: usize) {
        let span = self.take(length);
        self.lexed.tokens.push(Token { tok, span });
    }

    fn take(&mut self, length: usize) -> Span {
        let start = self.at as u32;
        self.at += length;
        Span::new(start, self.at as u32)
    }

    fn comment(&mut self, length: usize, block: bool) {
        let span = self.take(length);
        self.lexed.comments.push(Comment { span, block });
    }

    fn block_comment(&mut self, rest: &str) {
        match rest[2..].find("*/") {
            Some(length) => self.comment(length + 4, true),
            None => {
                let opening = Span::new(self.at as u32, self.at as u32 + 2);
                let open = Diagnostic::error(opening, "this comment is never closed")
                    .help("a comment that begins with `/*` ends with `*/`");
                self.diagnostics.push(open);
                self.take(rest.len());
            }
        }
    }

    /// A text in straight or curved quotes; it may run over several lines.
    fn quoted(&mut self, rest: &str, opener: char) {
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let reach = if self.quote_is_open { line_end } else { rest.len() };
        match closing_quote(&rest[..reach], opener) {
            Some(length) => self.push(Tok::Str, length),
            None => {
                self.quote_is_open = true;
                let start = self.at as u32;
                let opening = Span::new(start, start + opener.len_utf8() as u32);
                self.diagnostics.push(Diagnostic::error(opening, "this quoted text is never closed"));
                self.push(Tok::Str, rest[..line_end].trim_end().len());
            }
        }
    }

    /// Characters that begin nothing: one diagnostic for a whole run of them.
    fn stray(&mut self, rest: &str) {
        let begins = |c: char| {
            c.is_whitespace()
                || is_name_part(c)
                || c == '"'
                || c == '“'
                || SIGNS.iter().any(|(sign, _)| sign.starts_with(c))
                || CHARACTERS.iter().any(|(known, _)| *known == c)
        };
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = rest[first..].find(begins).map_or(rest.len(), |more| first + more);
        let shown: String = rest[..length].chars().take(8).map(visible).collect();
        let span = self.take(length);
        let message = if length == first {
            format!("the character `{shown}` means nothing here")
        } else {
            format!("the characters `{shown}` mean nothing here")
        };
        self.diagnostics.push(Diagnostic::error(span, message));
    }
}

fn visible(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the number at the head of `rest`, and whether it is a real one. `0..7` is an integer.
fn number(rest: &str) -> (Tok, usize) {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let length = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        if length > 0 {
            return (Tok::Int, length + 2);
        }
    }
    let whole = digits(rest);
    match rest[whole..].strip_prefix('.').map(digits) {
        Some(fraction) if fraction > 0 => (Tok::Real, whole + 1 + fraction),
        _ => (Tok::Int, whole),
    }
}

/// The length of a quoted text including its quotes, if it is closed. A backslash hides what follows it.
fn closing_quote(text: &str, opener: char) -> Option<usize> {
    let mut hidden = false;
    for (at, c) in text.char_indices().skip(1) {
        if hidden {
            hidden = false;
        } else if c == '\\' {
            hidden = true;
        } else if c == '"' || (c == '”' && opener == '“') {
            return Some(at + c.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toks(text: &str) -> Vec<Tok> {
        let mut diagnostics = Diagnostics::default();
        let lexed = lex(&Source::new("m", text), &mut diagnostics);
        assert!(diagnostics.is_empty(), "{text}");
        lexed.tokens.iter().map(|token| token.tok).collect()
    }

    #[test]
    fn signs_in_both_spellings() {
        let plain = toks("a := b -> c <= d ==> e / f * g - h .. ! && || forall");
        let single = toks("a ≔ b → c ≤ d ⇒ e ÷ f × g − h … ¬ ∧ ∨ ∀");
        assert_eq!(plain, single);
    }

    #[test]
    fn ranges_reals_and_hexadecimals() {
        assert_eq!(toks("0..7"), [Tok::Int, Tok::DotDot, Tok::Int, Tok::Eof]);
        assert_eq!(toks("1.5"), [Tok::Real, Tok::Eof]);
        assert_eq!(toks("0xFf"), [Tok::Int, Tok::Eof]);
        assert_eq!(toks("0xg"), [Tok::Int, Tok::Ident, Tok::Eof]);
    }

    #[test]
    fn quotes_hide_and_close() {
        assert_eq!(toks(r#""a\"b" “c” x"#), [Tok::Str, Tok::Str, Tok::Ident, Tok::Eof]);
    }

    #[test]
    fn open_quotes_take_linear_time() {
        let mut diagnostics = Diagnostics::default();
        let source = Source::new("m", "\\\"\n".repeat(200_000));
        lex(&source, &mut diagnostics);
        assert!(!diagnostics.is_empty());
    }

    #[test]
    fn comments_are_kept_and_trimmed() {
        let source = Source::new("m", "x -- one \r\n/* two\n */ y");
        let lexed = lex(&source, &mut Diagnostics::default());
        let texts: Vec<&str> = lexed.comments.iter().map(|c| source.slice(c.span)).collect();
        assert_eq!(texts, ["-- one", "/* two\n */"]);
    }
}
