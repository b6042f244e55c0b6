//! Expressions, by precedence climbing over the levels of `ast::Level`.
//!
//! Operators that associate to the left are gathered into one flat `Chain`, so that a conjunction of a
//! hundred thousand terms is as shallow as one of two.

use super::{Parsed, Parser};
use crate::syntax::ast::{
    BinOp, Designator, Domain, Expr, ExprKind, Level, Link, Quantifier, Selector, UnOp,
};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::Span;
use crate::syntax::token::Tok;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.expr_at(Level::Conditional)
    }

    /// Whether an expression can begin here.
    pub(super) fn at_expr(&self) -> bool {
        matches!(
            self.peek(),
            Tok::Ident
                | Tok::Int
                | Tok::Real
                | Tok::True
                | Tok::False
                | Tok::LParen
                | Tok::Bang
                | Tok::Tilde
                | Tok::Minus
                | Tok::Plus
                | Tok::Forall
                | Tok::Exists
                | Tok::IsUndefined
        )
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn expr_at(&mut self, least: Level) -> Parsed<Expr> {
        self.nested(|parser| {
            let mut left = parser.prefix()?;
            loop {
                if parser.peek() == Tok::Question && least <= Level::Conditional {
                    left = parser.conditional(left)?;
                    continue;
                }
                match binary(parser.peek()) {
                    Some(op) if op.level() >= least => left = parser.operation(left, op)?,
                    _ => return Ok(left),
                }
            }
        })
    }

    fn operation(&mut self, left: Expr, op: BinOp) -> Parsed<Expr> {
        let op_span = self.bump();
        let operand = self.expr_at(op.level().tighter())?;
        let span = left.span.to(operand.span);
        if op.chains() {
            return Ok(Expr { span, kind: chain(left, Link { op, op_span, operand }) });
        }
        if let Some(next) = binary(self.peek()).filter(|next| next.level() == op.level()) {
            let message = format!("`{}` and `{}` do not chain", op.symbol(), next.symbol());
            return Err(self.report(Diagnostic::error(self.span(), message).help("add parentheses")));
        }
        Ok(Expr { span, kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(operand) } })
    }

    fn conditional(&mut self, condition: Expr) -> Parsed<Expr> {
        self.bump();
        let then = Box::new(self.expr()?);
        self.expect(Tok::Colon)?;
        let otherwise = Box::new(self.expr()?);
        let span = condition.span.to(otherwise.span);
        Ok(Expr { span, kind: ExprKind::Conditional { condition: Box::new(condition), then, otherwise } })
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.peek() {
            Tok::Bang => UnOp::Not,
            Tok::Tilde => UnOp::BitNot,
            Tok::Minus => UnOp::Minus,
            Tok::Plus => UnOp::Plus,
            _ => return self.primary(),
        };
        self.bump();
        let operand = Box::new(self.expr_at(op.level())?);
        Ok(Expr { span: self.since(start), kind: ExprKind::Unary { op, operand } })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Tok::LParen => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Tok::RParen)?;
                inner.kind
            }
            Tok::Int => self.integer()?,
            Tok::Real => {
                let text = self.word().to_string();
                self.bump();
                ExprKind::Real(text)
            }
            Tok::True | Tok::False => {
                let value = self.peek() == Tok::True;
                self.bump();
                ExprKind::Bool(value)
            }
            Tok::Forall | Tok::Exists => self.quantified()?,
            Tok::IsUndefined => {
                self.bump();
                self.expect(Tok::LParen)?;
                let designator = self.designator()?;
                self.expect(Tok::RParen)?;
                ExprKind::IsUndefined(designator)
            }
            Tok::Ident => self.named()?,
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { span: self.since(start), kind })
    }

    fn integer(&mut self) -> Parsed<ExprKind> {
        let text = self.word();
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let octal = text.strip_prefix('0').filter(|digits| hexadecimal.is_none() && !digits.is_empty());
        if octal.is_some_and(|digits| digits.contains(['8', '9'])) {
            let message = "a number that begins with 0 is octal, and has no digits 8 and 9";
            return Err(self.report(Diagnostic::error(self.span(), message)));
        }
        let value = match (hexadecimal, octal) {
            (Some(digits), _) => i64::from_str_radix(digits, 16),
            (None, Some(digits)) => i64::from_str_radix(digits, 8),
            (None, None) => text.parse(),
        };
        let Ok(value) = value else {
            let message = format!("this number is larger than {}", i64::MAX);
            return Err(self.report(Diagnostic::error(self.span(), message)));
        };
        self.bump();
        Ok(ExprKind::Int { value, hex: hexadecimal.is_some() })
    }

    fn quantified(&mut self) -> Parsed<ExprKind> {
        let all = self.peek() == Tok::Forall;
        let opening = self.bump();
        let parts = self.quantified_parts();
        if parts.is_err() {
            // Its `end` must not close the block around it.
            while !matches!(self.peek(), Tok::End | Tok::Semi | Tok::Eof) && !self.at_stmt_word() {
                self.bump();
            }
            self.eat(Tok::End);
        }
        let (quantifiers, body) = parts?;
        self.eat_semis();
        self.expect_end(if all { "`forall`" } else { "`exists`" }, opening);
        Ok(ExprKind::Quantified { all, quantifiers, body })
    }

    fn quantified_parts(&mut self) -> Parsed<(Vec<Quantifier>, Box<Expr>)> {
        let quantifiers = self.quantifiers()?;
        self.expect_do();
        Ok((quantifiers, Box::new(self.expr()?)))
    }

    /// What begins with a name: a call, a built-in function, or a designator.
    fn named(&mut self) -> Parsed<ExprKind> {
        if self.at_builtin("ismember") {
            return self.is_member();
        }
        if self.at_builtin("multisetcount") {
            return self.multiset_count();
        }
        if self.peek_at(1) == Tok::LParen {
            let name = self.name()?;
            return Ok(ExprKind::Call { name, args: self.arguments()? });
        }
        let alone = !matches!(self.peek_at(1), Tok::Dot | Tok::LBracket);
        if self.at_word("undefined") && alone {
            return Ok(ExprKind::Undefined(self.name()?));
        }
        Ok(ExprKind::Designator(self.designator()?))
    }

    fn is_member(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Tok::LParen)?;
        let value = Box::new(self.expr()?);
        self.expect(Tok::Comma)?;
        let ty = Box::new(self.type_expr()?);
        self.expect(Tok::RParen)?;
        Ok(ExprKind::IsMember { value, ty })
    }

    fn multiset_count(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Tok::LParen)?;
        let index = self.name()?;
        self.expect(Tok::Colon)?;
        let multiset = self.designator()?;
        self.expect(Tok::Comma)?;
        let predicate = Box::new(self.expr()?);
        self.expect(Tok::RParen)?;
        Ok(ExprKind::MultisetCount { index, multiset, predicate })
    }

    /// `( a, b, )`: what a call passes.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect(Tok::LParen)?;
        let mut args = Vec::new();
        while self.peek() != Tok::RParen {
            args.push(self.expr()?);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        if self.peek() != Tok::RParen {
            return Err(self.unexpected("`,` or `)`"));
        }
        self.bump();
        Ok(args)
    }

    pub(super) fn designator(&mut self) -> Parsed<Designator> {
        let base = self.name()?;
        let mut selectors = Vec::new();
        loop {
            if self.eat(Tok::Dot) {
                selectors.push(Selector::Field(self.name()?));
            } else if self.eat(Tok::LBracket) {
                selectors.push(Selector::Index(self.expr()?));
                self.expect(Tok::RBracket)?;
            } else {
                return Ok(Designator { span: self.since(base.span), base, selectors });
            }
        }
    }

    /// One or more quantifiers with semicolons between.
    pub(super) fn quantifiers(&mut self) -> Parsed<Vec<Quantifier>> {
        let mut quantifiers = vec![self.quantifier()?];
        loop {
            let separated = self.peek() == Tok::Semi;
            self.eat_semis();
            let another = self.peek() == Tok::Ident && matches!(self.peek_at(1), Tok::Colon | Tok::Assign);
            if !separated || !another {
                return Ok(quantifiers);
            }
            quantifiers.push(self.quantifier()?);
        }
    }

    fn quantifier(&mut self) -> Parsed<Quantifier> {
        let name = self.name()?;
        let start: Span = name.span;
        let domain = if self.eat(Tok::Assign) {
            let from = Box::new(self.expr()?);
            self.expect_or_go_on(Tok::To);
            let to = Box::new(self.expr()?);
            let by = if self.eat(Tok::By) { Some(Box::new(self.expr()?)) } else { None };
            Domain::Range { from, to, by }
        } else if self.eat(Tok::Colon) {
            Domain::Type(self.type_expr()?)
        } else {
            return Err(self.unexpected("`:` and a type, or `:=` and a range"));
        };
        Ok(Quantifier { span: self.since(start), name, domain })
    }
}

/// Adds a link to the chain on its left, or begins one.
fn chain(left: Expr, link: Link) -> ExprKind {
    match left.kind {
        ExprKind::Chain { first, mut rest } if rest[0].op.level() == link.op.level() => {
            rest.push(link);
            ExprKind::Chain { first, rest }
        }
        _ => ExprKind::Chain { first: Box::new(left), rest: vec![link] },
    }
}

fn binary(tok: Tok) -> Option<BinOp> {
    Some(match tok {
        Tok::Arrow => BinOp::Implies,
        Tok::PipePipe => BinOp::OrOr,
        Tok::AmpAmp => BinOp::AndAnd,
        Tok::Pipe => BinOp::Pipe,
        Tok::Caret => BinOp::Caret,
        Tok::Amp => BinOp::Amp,
        Tok::Less => BinOp::Less,
        Tok::LessEq => BinOp::LessEq,
        Tok::Greater => BinOp::Greater,
        Tok::GreaterEq => BinOp::GreaterEq,
        Tok::Equal => BinOp::Equal,
        Tok::NotEqual => BinOp::NotEqual,
        Tok::ShiftLeft => BinOp::ShiftLeft,
        Tok::ShiftRight => BinOp::ShiftRight,
        Tok::Plus => BinOp::Add,
        Tok::Minus => BinOp::Sub,
        Tok::Star => BinOp::Mul,
        Tok::Slash => BinOp::Div,
        Tok::Percent => BinOp::Mod,
        _ => return None,
    })
}

/// Whether a token carries an expression on.
pub(super) fn is_operator(tok: Tok) -> bool {
    tok == Tok::Question || binary(tok).is_some()
}
