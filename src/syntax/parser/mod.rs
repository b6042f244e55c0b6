//! Tokens to a syntax tree, by recursive descent.
//!
//! In: a `Source`. Out: a `Model`, or every diagnostic found. A part that cannot be read fails with
//! `Failed` after saying why; lists of statements, declarations and rules catch that, skip to where the
//! next one may begin, and go on, so one run reports several errors. Two errors at one token are one.
//!
//! Why it ends, and in linear time: every loop consumes a token in each turn or stops; looking ahead is
//! by a fixed number of tokens, save that the head of a rule may be read twice. Why the stack suffices:
//! `nested` counts every recursion; beyond `NESTING_MAX` it reports once and gives up on the whole text.
//!
//! Words that are reserved in only one dialect, or only by the extensions, are names unless they stand
//! where only the construct can: see `rules`, `statements`, `types` and `expressions`.

mod decls;
mod expressions;
mod rules;
mod statements;
mod types;

use std::collections::HashSet;

use super::ast::{Model, NESTING_MAX, Name, Text};
use super::diagnostic::{Diagnostic, Diagnostics};
use super::lexer::lex;
use super::nearest::nearest;
use super::span::{Source, Span};
use super::token::{Tok, Token, WORDS};

/// Reading failed, and the reason has been reported.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Reads a whole model.
pub fn parse(source: &Source) -> Result<Model, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let lexed = lex(source, &mut diagnostics);
    let mut parser = Parser {
        source,
        tokens: lexed.tokens,
        at: 0,
        depth: 0,
        gave_up: false,
        last_error_at: None,
        subprograms: HashSet::new(),
        diagnostics,
    };
    let items = parser.items();
    if parser.diagnostics.has_errors() {
        parser.diagnostics.sort();
        return Err(parser.diagnostics);
    }
    Ok(Model { items, comments: lexed.comments, span: Span::new(0, source.len()) })
}

struct Parser<'s> {
    source: &'s Source,
    /// Ended by `Eof`; `at` never passes it.
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The nesting limit was met: nothing more is read or reported.
    gave_up: bool,
    last_error_at: Option<usize>,
    /// Functions and procedures declared so far, in lower case: they take precedence over built-in words.
    subprograms: HashSet<String>,
    diagnostics: Diagnostics,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Tok {
        self.tokens[self.at].tok
    }

    fn peek_at(&self, ahead: usize) -> Tok {
        self.tokens.get(self.at + ahead).map_or(Tok::Eof, |token| token.tok)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token read last.
    fn last_span(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |last| self.tokens[last].span)
    }

    /// From the start of a part to the last token read, or an empty span if none was.
    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_span().end.max(start.start))
    }

    fn word(&self) -> &'s str {
        self.source.slice(self.span())
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.peek() == tok && tok != Tok::Eof;
        if found {
            self.bump();
        }
        found
    }

    fn eat_semis(&mut self) {
        while self.eat(Tok::Semi) {}
    }

    /// Whether a name that is a word of its own only here stands here, in any case.
    fn at_word(&self, word: &str) -> bool {
        self.peek() == Tok::Ident && self.word().eq_ignore_ascii_case(word)
    }

    fn word_at_is(&self, ahead: usize, word: &str) -> bool {
        let Some(token) = self.tokens.get(self.at + ahead) else { return false };
        token.tok == Tok::Ident && self.source.slice(token.span).eq_ignore_ascii_case(word)
    }

    /// Whether the name here, read as a built-in word, is followed by `(` and not declared by the model.
    fn at_builtin(&self, word: &str) -> bool {
        self.at_word(word) && self.peek_at(1) == Tok::LParen && !self.subprograms.contains(word)
    }

    /// Whether `a :`, `a ,` or `:` stands here: the beginning of a declaration in a section.
    fn at_declaration(&self) -> bool {
        match self.peek() {
            Tok::Ident => matches!(self.peek_at(1), Tok::Colon | Tok::Comma),
            Tok::Colon => true,
            _ => false,
        }
    }

    /// Reports unless something was already reported at this token.
    fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.last_error_at != Some(self.at) && !self.gave_up {
            self.diagnostics.push(diagnostic);
        }
        self.last_error_at = Some(self.at);
        Failed
    }

    /// "expected this, found that" at the token here.
    fn unexpected(&mut self, expected: &str) -> Failed {
        let diagnostic = self.unexpected_here(expected);
        self.report(diagnostic)
    }

    fn unexpected_here(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            Tok::Eof => "the end of the text".to_string(),
            Tok::Str => "a quoted text".to_string(),
            _ => format!("`{}`", self.word().chars().take(40).collect::<String>()),
        };
        // What is missing at the end is missing behind the last word, not on the empty line below it.
        let span = if self.peek() == Tok::Eof { self.last_span().after() } else { self.span() };
        Diagnostic::error(span, format!("expected {expected}, found {found}"))
            .label(format!("expected {expected}"))
    }

    /// "expected this", with a word that was perhaps meant. If that word is reserved and `wanted` accepts it,
    /// the token is corrected in place, so that what follows is read as it was meant; then this is true.
    fn unexpected_word(&mut self, expected: &str, others: &[&str], wanted: impl Fn(Tok) -> bool) -> bool {
        let diagnostic = self.unexpected_here(expected);
        let known = WORDS.iter().filter(|(_, tok)| wanted(*tok)).map(|(word, _)| *word);
        let meant = if self.peek() == Tok::Ident {
            nearest(self.word(), known.chain(others.iter().copied()))
        } else {
            None
        };
        self.report(diagnostic.suggest(meant));
        let reserved = meant.and_then(Tok::of_word);
        if let Some(tok) = reserved {
            self.tokens[self.at].tok = tok;
        }
        reserved.is_some()
    }

    fn expect(&mut self, tok: Tok) -> Parsed<Span> {
        if self.peek() == tok { Ok(self.bump()) } else { Err(self.unexpected(&tok.describe())) }
    }

    /// Like `expect`, but goes on as if the word had been there, or in place of a misspelt one.
    fn expect_or_go_on(&mut self, tok: Tok) {
        if self.eat(tok) {
            return;
        }
        let wanted = tok.describe();
        let bare = wanted.trim_matches('`').to_string();
        let misspelt = self.peek() == Tok::Ident && nearest(self.word(), [bare.as_str()]).is_some();
        let diagnostic = self.unexpected_here(&wanted).suggest(misspelt.then_some(bare.as_str()));
        self.report(diagnostic);
        if misspelt {
            self.bump();
        }
    }

    /// `do`, for which CMurphi also takes `:`.
    fn expect_do(&mut self) {
        if !self.eat(Tok::Colon) {
            self.expect_or_go_on(Tok::Do);
        }
    }

    fn expect_end(&mut self, of: &str, opening: Span) {
        if self.eat(Tok::End) {
            return;
        }
        let line = self.source.place(opening.start).line;
        let diagnostic = self.unexpected_here(&format!("`end` of the {of} that began on line {line}"));
        self.report(diagnostic.label("expected `end`"));
    }

    /// "expected a name or so", with a hint if a reserved word stands in its place.
    fn unexpected_name(&mut self, expected: &str) -> Failed {
        let mut diagnostic = self.unexpected_here(expected);
        if Tok::of_word(self.word()).is_some() {
            let word = self.word().to_ascii_lowercase();
            diagnostic =
                diagnostic.help(format!("`{word}` is a reserved word, in any case, and cannot be a name"));
        }
        self.report(diagnostic)
    }

    fn name(&mut self) -> Parsed<Name> {
        if self.peek() != Tok::Ident {
            return Err(self.unexpected_name("a name"));
        }
        let text = self.word().to_string();
        Ok(Name { span: self.bump(), text })
    }

    /// Names with commas between, perhaps one more at the end, perhaps none at all.
    fn names(&mut self) -> Vec<Name> {
        let mut names = Vec::new();
        while self.peek() == Tok::Ident {
            if let Ok(name) = self.name() {
                names.push(name);
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        names
    }

    fn text(&mut self) -> Parsed<Text> {
        if self.peek() != Tok::Str {
            return Err(self.unexpected("a quoted text"));
        }
        let quoted = self.word();
        let inner = quoted.strip_prefix(['"', '“']).unwrap_or(quoted);
        let raw = inner.strip_suffix(['"', '”']).unwrap_or(inner).replace("\r\n", "\n");
        Ok(Text { span: self.bump(), raw })
    }

    fn text_if_any(&mut self) -> Option<Text> {
        if self.peek() == Tok::Str { self.text().ok() } else { None }
    }

    /// Runs a part one level deeper; beyond the limit, says so and gives up on the whole text.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING_MAX {
            let message = format!("this is nested more than {NESTING_MAX} levels deep");
            let failed = self.report(Diagnostic::error(self.span(), message).label("the limit is met here"));
            self.gave_up = true;
            self.at = self.tokens.len() - 1;
            return Err(failed);
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Skips at least to behind `before`, then up to a token that `stops` accepts, or the end.
    fn skip_until(&mut self, before: usize, stops: impl Fn(&Self) -> bool) {
        if self.at == before {
            self.bump();
        }
        while self.peek() != Tok::Eof && !stops(self) {
            self.bump();
        }
    }
}
