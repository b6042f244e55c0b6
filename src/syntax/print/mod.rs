//! A syntax tree back to text: one way of writing everything, all comments kept.
//!
//! In: a model and the source it was parsed from, which holds the comments' text and tells where lines were
//! left blank. Out: text that parses to an equal tree, and that prints to itself. Parentheses are those
//! that precedence needs; parts that do not fit a line of `WIDTH` characters are broken at their operators.
//!
//! Comments: one that stands behind something on its line stays there; one inside something that is
//! printed on one line moves before it; all others keep their order between the lines around them. At
//! most one blank line is kept between two things, and top-level parts are set apart by one.
//!
//! Cost: linear in the text (every attempt at one line stops at `WIDTH`); recursion is bounded by the
//! tree's depth.

mod comments;
mod decls;
mod expressions;
mod flat;
mod rules;
mod statements;

use super::ast::{Comment, Item, Model, RuleKind};
use super::span::Source;

/// The longest line aimed at.
const WIDTH: usize = 100;
const STEP: usize = 2;

/// Prints a model as `verify fmt` writes it.
pub fn print(model: &Model, source: &Source) -> String {
    let mut printer = Printer {
        source,
        comments: &model.comments,
        next_comment: 0,
        out: String::new(),
        indent: 0,
        fresh: true,
        apart: false,
    };
    printer.items(&model.items);
    printer.comments_before(u32::MAX);
    printer.out
}

/// What is listed line by line rather than set apart.
fn is_property(rule: &RuleKind) -> bool {
    matches!(rule, RuleKind::Property(_) | RuleKind::Fairness(_))
}

struct Printer<'a> {
    source: &'a Source,
    comments: &'a [Comment],
    /// The first comment not yet printed.
    next_comment: usize,
    out: String,
    indent: usize,
    /// Nothing has been printed in this block yet, so no blank line is due.
    fresh: bool,
    /// The next thing is set apart by a blank line.
    apart: bool,
}

impl Printer<'_> {
    fn items(&mut self, items: &[Item]) {
        let mut rest = items;
        let mut last_was_property = false;
        while let Some(first) = rest.first() {
            let decls = rest.iter().take_while(|item| matches!(item, Item::Decl(_))).count();
            let property = matches!(first, Item::Rule(rule) if is_property(&rule.kind));
            self.apart |= !(property && last_was_property);
            last_was_property = property;
            match first {
                Item::Decl(_) => {
                    let run = rest[..decls].iter().filter_map(|item| match item {
                        Item::Decl(decl) => Some(decl),
                        _ => None,
                    });
                    self.decls(run, true);
                }
                Item::Subprogram(subprogram) => self.subprogram(subprogram),
                Item::Rule(rule) => self.rule(rule),
            }
            rest = &rest[decls.max(1)..];
        }
    }

    /// One line at the present indentation.
    fn line(&mut self, text: &str) {
        self.out.extend(std::iter::repeat_n(' ', if text.is_empty() { 0 } else { self.indent }));
        self.out.push_str(text);
        self.out.push('\n');
        self.fresh = false;
    }

    fn lines(&mut self, lines: Vec<String>) {
        lines.iter().for_each(|line| self.line(line));
    }

    /// Prints what stands inside a block.
    fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += STEP;
        self.fresh = true;
        body(self);
        self.indent -= STEP;
        self.fresh = false;
    }

    fn width(&self) -> usize {
        WIDTH.saturating_sub(self.indent).max(WIDTH / 3)
    }
}
