//! Expressions on as many lines as they need: broken before operators, outermost first.

use super::flat::{level, operand_level, unbounded, within};
use super::{Printer, STEP, WIDTH};
use crate::syntax::ast::{Expr, ExprKind, Level, Link};
use crate::syntax::span::Span;

impl Printer<'_> {
    /// `head expr tail` on one line if it fits, else `head` and the expression's lines, aligned behind it.
    pub(super) fn headed(&mut self, head: &str, expr: &Expr, tail: &str) {
        if let Some(chain) = self.chain_with_comments(expr).filter(|_| self.comment_pending_in(expr.span)) {
            return self.commented(head, chain, expr.span.end, tail);
        }
        let lines = broken(expr, Level::Conditional, self.room(head, tail));
        self.lines(aligned(head, lines, tail));
    }

    fn room(&self, head: &str, tail: &str) -> usize {
        let around = head.chars().count() + tail.chars().count();
        self.width().saturating_sub(around).max(WIDTH / 3)
    }

    /// The parts of a chain that has comments behind its first operand.
    fn chain_with_comments<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, &'e [Link])> {
        match &expr.kind {
            ExprKind::Chain { first, rest } => {
                let behind_first = Span::new(first.span.end, expr.span.end);
                self.comment_inside(behind_first).then_some((&**first, &rest[..]))
            }
            _ => None,
        }
    }

    /// Up to where comments move before an expression, which else ends at `end`: one that is a chain keeps
    /// those behind its first operand, each at the operand it stands by.
    pub(super) fn solid_end(&self, expr: &Expr, end: u32) -> u32 {
        self.chain_with_comments(expr).map_or(end, |(first, _)| first.span.end)
    }

    /// A chain with comments in it: every operand on its own line.
    fn commented(&mut self, head: &str, (first, rest): (&Expr, &[Link]), end: u32, tail: &str) {
        let least = rest.first().map_or(Level::Conditional, |link| link.op.level());
        let lines = broken(first, least, self.room(head, ""));
        self.lines(aligned(head, lines, ""));
        let pad = head.chars().count();
        self.indent += pad;
        let mut last_end = first.span.end;
        for (at, link) in rest.iter().enumerate() {
            self.append_comments(last_end, link.operand.span.start, |_| true);
            let is_last = at + 1 == rest.len();
            self.comments_before(if is_last { end } else { link.operand.span.end });
            let tail = if is_last { tail } else { "" };
            let mut lines =
                operand(link.op.symbol(), &link.operand, link.op.level().tighter(), self.room("", tail));
            if let Some(line) = lines.last_mut() {
                line.push_str(tail);
            }
            self.lines(lines);
            last_end = link.operand.span.end;
        }
        self.indent -= pad;
    }
}

/// An expression's lines, none longer than `width` where that can be had.
fn broken(expr: &Expr, least: Level, width: usize) -> Vec<String> {
    if let Some(line) = within(width, |flat| flat.expr(expr, least)) {
        return vec![line];
    }
    if level(expr) < least {
        return aligned("(", broken(expr, Level::Conditional, width.saturating_sub(2)), ")");
    }
    match &expr.kind {
        ExprKind::Chain { first, rest } => {
            let mut lines = broken(first, level(expr), width);
            for link in rest {
                lines.extend(operand(link.op.symbol(), &link.operand, link.op.level().tighter(), width));
            }
            lines
        }
        ExprKind::Binary { op, left, right } => {
            let mut lines = broken(left, op.level().tighter(), width);
            lines.extend(operand(op.symbol(), right, op.level().tighter(), width));
            lines
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            let mut lines = broken(condition, Level::Implies, width);
            lines.extend(operand("?", then, Level::Implies, width));
            lines.extend(operand(":", otherwise, Level::Implies, width));
            lines
        }
        ExprKind::Unary { op, operand } => {
            let least = operand_level(*op, operand);
            aligned(op.symbol(), broken(operand, least, width.saturating_sub(1)), "")
        }
        ExprKind::Quantified { all, quantifiers, body } => {
            let word = if *all { "forall" } else { "exists" };
            let head = unbounded(|flat| flat.quantifiers(quantifiers));
            let mut lines = vec![format!("{word} {head} do")];
            let inner = broken(body, Level::Conditional, width.saturating_sub(STEP));
            lines.extend(inner.into_iter().map(|line| format!("{}{line}", " ".repeat(STEP))));
            lines.push("end".to_string());
            lines
        }
        _ => vec![unbounded(|flat| flat.expr(expr, least))],
    }
}

fn operand(symbol: &str, expr: &Expr, least: Level, width: usize) -> Vec<String> {
    let head = format!("{symbol} ");
    aligned(&head, broken(expr, least, width.saturating_sub(head.len())), "")
}

/// Puts `head` before the first line, `tail` behind the last, and the lines between under the first.
fn aligned(head: &str, mut lines: Vec<String>, tail: &str) -> Vec<String> {
    let pad = " ".repeat(head.chars().count());
    for (at, line) in lines.iter_mut().enumerate() {
        line.insert_str(0, if at == 0 { head } else { &pad });
    }
    if let Some(last) = lines.last_mut() {
        last.push_str(tail);
    }
    lines
}
