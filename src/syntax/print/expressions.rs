//! Expressions on as many lines as they need: broken before operators, outermost first.

use super::flat::{level, operand_level, unbounded, within};
use super::{Printer, STEP, WIDTH};
use crate::syntax::ast::{Expr, ExprKind, Level};

impl Printer<'_> {
    /// `head expr tail` on one line if it fits, else `head` and the expression's lines, aligned behind it.
    pub(super) fn headed(&mut self, head: &str, expr: &Expr, tail: &str) {
        let around = head.chars().count() + tail.chars().count();
        let lines = broken(expr, Level::Conditional, self.width().saturating_sub(around).max(WIDTH / 3));
        self.lines(aligned(head, lines, tail));
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
