//! What is wrong with a model, where, and what would be right; shown as plain text with the source line.
//!
//! In: diagnostics with spans, in the order found. Out: text. Invariant: whatever the source holds (tabs,
//! control characters, lines of any length), the marks stand under the characters they mean, and no line
//! shown is wider than about `EXCERPT_MAX` characters. At most `KEPT_MAX` diagnostics are kept, the rest
//! are counted, so a hopeless text costs little.
//!
//! Left out: colour, and widths of characters other than one column.

use std::fmt::Write;

use super::span::{Source, Span};

/// How many diagnostics are kept and shown; more are only counted.
pub const KEPT_MAX: usize = 20;

const EXCERPT_MAX: usize = 120;
const TAB: &str = "    ";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// One thing to say about one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    /// A few words beside the marks.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, span, message: message.into(), label: None, help: None }
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds "did you mean", where there is something to suggest.
    pub fn suggest(self, name: Option<&str>) -> Diagnostic {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// The message, its place and the source line with marks, ended by a line end.
    pub fn render(&self, source: &Source) -> String {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = source.place(self.span.start);
        let excerpt = Excerpt::new(source, self.span);
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let mut text = format!("{word}: {}\n", self.message);
        let _ = writeln!(text, "{margin}--> {}:{}:{}", source.name(), place.line, place.column);
        let _ = writeln!(text, "{margin} |");
        let _ = writeln!(text, "{}", format!("{number} | {}", excerpt.line).trim_end());
        let marks = "^".repeat(excerpt.marked);
        let label = self.label.as_deref().unwrap_or("");
        let pad = " ".repeat(excerpt.before);
        let _ = writeln!(text, "{}", format!("{margin} | {pad}{marks} {label}").trim_end());
        if let Some(help) = &self.help {
            let _ = writeln!(text, "{margin} = help: {help}");
        }
        text
    }
}

/// Part of a source line as shown, and where the marks go: columns before, columns marked.
struct Excerpt {
    line: String,
    before: usize,
    marked: usize,
}

impl Excerpt {
    fn new(source: &Source, span: Span) -> Excerpt {
        let number = source.line_of(span.start);
        let text = source.line_text(number);
        let start = (span.start - source.line_start(number)) as usize;
        let end = start + (span.end.saturating_sub(span.start)) as usize;
        let before = text.get(..start.min(text.len())).unwrap_or("");
        let within = text.get(start.min(text.len())..end.min(text.len())).unwrap_or("");
        let after = text.get(end.min(text.len())..).unwrap_or("");
        let shown_before = tail(before, EXCERPT_MAX / 2);
        let shown_within = head(within, EXCERPT_MAX / 2);
        let shown_after = if shown_within.1 { String::new() } else { head(after, EXCERPT_MAX / 2).0 };
        let columns = |text: &str| text.chars().count();
        Excerpt {
            before: columns(&shown_before),
            marked: columns(&shown_within.0).max(1),
            line: format!("{shown_before}{}{shown_after}", shown_within.0),
        }
    }
}

fn show(c: char, out: &mut String) {
    match c {
        '\t' => out.push_str(TAB),
        c if c.is_control() => out.push('\u{fffd}'),
        c => out.push(c),
    }
}

/// The first characters of a text as shown, and whether some were left off.
fn head(text: &str, characters: usize) -> (String, bool) {
    let mut out = String::new();
    let mut rest = text.chars();
    rest.by_ref().take(characters).for_each(|c| show(c, &mut out));
    let cut = rest.next().is_some();
    if cut {
        out.push('…');
    }
    (out, cut)
}

/// The last characters of a text as shown.
fn tail(text: &str, characters: usize) -> String {
    let from = text.char_indices().rev().take(characters).last().map_or(text.len(), |(at, _)| at);
    let mut out = String::new();
    if from > 0 {
        out.push('…');
    }
    text[from..].chars().for_each(|c| show(c, &mut out));
    out
}

/// The diagnostics of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    errors: usize,
    left_off: usize,
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        if self.kept.len() < KEPT_MAX {
            self.kept.push(diagnostic);
        } else {
            self.left_off += 1;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Those kept, in order of place once `sort` was called.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.kept.iter()
    }

    /// Puts what was kept in the order of the text; stable, so equal places keep their order.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|diagnostic| diagnostic.span.start);
    }

    /// All that was kept, one blank line between two, and how many more there were.
    pub fn render(&self, source: &Source) -> String {
        let mut shown: Vec<String> = self.kept.iter().map(|diagnostic| diagnostic.render(source)).collect();
        if self.left_off > 0 {
            shown.push(format!("and {} more\n", self.left_off));
        }
        shown.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_under_tabs_and_wide_lines() {
        let source = Source::new("m.m", "\tx := y;\r\n");
        let text =
            Diagnostic::error(Span::new(6, 7), "no `y`").label("here").help("declare it").render(&source);
        let expected =
            "error: no `y`\n --> m.m:1:7\n  |\n1 |     x := y;\n  |          ^ here\n  = help: declare it\n";
        assert_eq!(text, expected);
        let long = Source::new("m.m", "a".repeat(1_000_000));
        let text = Diagnostic::error(Span::new(500_000, 900_000), "long").render(&long);
        assert!(text.lines().all(|line| line.chars().count() < 200));
    }

    #[test]
    fn ends_of_text_and_empty_texts_are_places_too() {
        for text in ["", "\n", "a\n", "\u{0}\u{7}"] {
            let source = Source::new("m.m", text);
            let end = source.len();
            assert!(Diagnostic::error(Span::new(end, end), "gone").render(&source).contains("gone"));
        }
    }

    #[test]
    fn more_than_the_cap_are_counted() {
        let mut diagnostics = Diagnostics::default();
        (0..KEPT_MAX + 5).for_each(|_| diagnostics.push(Diagnostic::error(Span::default(), "again")));
        assert_eq!(diagnostics.error_count(), KEPT_MAX + 5);
        assert!(diagnostics.render(&Source::new("m", "x")).ends_with("and 5 more\n"));
    }
}
