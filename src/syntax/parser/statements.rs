//! Statements and blocks of them.
//!
//! `assume`, `cover` and the multiset words are names unless they stand where only the statement can.
//! A semicolon may be missing at the end of a line or behind an `end`.

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{
    Alias, Branch, Case, Claim, Expr, ExprKind, Property, PropertyWord, Stmt, StmtKind,
};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::Span;
use crate::syntax::token::Tok;

const MULTISET_WORDS: [&str; 3] = ["multisetadd", "multisetremove", "multisetremovepred"];

/// Whether a reserved word begins a statement.
fn begins_stmt(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::If
            | Tok::Switch
            | Tok::For
            | Tok::While
            | Tok::Alias
            | Tok::Clear
            | Tok::Undefine
            | Tok::Put
            | Tok::Error
            | Tok::Return
            | Tok::Assert
            | Tok::Invariant
            | Tok::Liveness
    )
}

impl Parser<'_> {
    /// Statements up to a token that cannot begin one.
    pub(super) fn block(&mut self) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        self.eat_semis();
        while !self.at_block_end() {
            let before = self.at;
            match self.stmt().and_then(|stmt| self.stmt_end().map(|()| stmt)) {
                Ok(stmt) => stmts.push(stmt),
                Err(_) => self.skip_until(before, |parser| {
                    matches!(parser.peek(), Tok::Semi) || parser.at_block_end() || parser.at_stmt_word()
                }),
            }
            self.eat_semis();
        }
        stmts
    }

    fn at_block_end(&self) -> bool {
        matches!(
            self.peek(),
            Tok::End
                | Tok::Else
                | Tok::Elsif
                | Tok::Case
                | Tok::Eof
                | Tok::Rule
                | Tok::Ruleset
                | Tok::StartState
                | Tok::Function
                | Tok::Procedure
        )
    }

    /// Whether a reserved word that begins a statement stands here, or a contextual one that surely does.
    pub(super) fn at_stmt_word(&self) -> bool {
        begins_stmt(self.peek())
            || self.at_contextual_property()
            || MULTISET_WORDS.iter().any(|word| self.at_builtin(word))
    }

    /// `assume` or `cover` where a statement or rule begins and not used as a name.
    pub(super) fn at_contextual_property(&self) -> bool {
        let Some(word) = ["assume", "cover"].into_iter().find(|word| self.at_word(word)) else {
            return false;
        };
        let as_name = matches!(
            self.peek_at(1),
            Tok::Assign | Tok::Colon | Tok::Comma | Tok::Dot | Tok::LBracket | Tok::LongArrow
        );
        let called = self.peek_at(1) == Tok::LParen && self.subprograms.contains(word);
        // A sign that can both begin an expression and carry one on is read as beginning one.
        let carried_on = super::expressions::is_operator(self.peek_at(1))
            && !matches!(self.peek_at(1), Tok::Minus | Tok::Plus);
        !as_name && !called && !carried_on
    }

    /// A semicolon, or a place where its absence is harmless.
    fn stmt_end(&mut self) -> Parsed<()> {
        let last = self.last_span();
        let after_end = self.at > 0 && self.tokens[self.at - 1].tok == Tok::End;
        if self.peek() == Tok::Semi || self.at_block_end() || after_end {
            return Ok(());
        }
        let gap = self.source.slice(Span::new(last.end, self.span().start));
        let begins = self.peek() == Tok::Ident || self.at_stmt_word();
        if begins && gap.contains('\n') {
            return Ok(());
        }
        let failed = self.unexpected("`;`");
        // Another statement is read as one, so that its mistakes are reported too.
        if begins { Ok(()) } else { Err(failed) }
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.stmt_kind(start)?;
            Ok(Stmt { span: parser.since(start), kind })
        })
    }

    fn stmt_kind(&mut self, start: Span) -> Parsed<StmtKind> {
        match self.peek() {
            Tok::If => self.if_stmt(start),
            Tok::Switch => self.switch_stmt(start),
            Tok::For => self.for_stmt(start),
            Tok::While => self.while_stmt(start),
            Tok::Alias => self.alias_stmt(start),
            Tok::Clear => {
                self.bump();
                Ok(StmtKind::Clear(self.designator()?))
            }
            Tok::Undefine => {
                self.bump();
                Ok(StmtKind::Undefine(self.designator()?))
            }
            Tok::Put => self.put_stmt(),
            Tok::Error => {
                self.bump();
                Ok(StmtKind::Error(self.text()?))
            }
            Tok::Return => {
                self.bump();
                Ok(StmtKind::Return(if self.at_expr() { Some(self.expr()?) } else { None }))
            }
            Tok::Assert | Tok::Invariant | Tok::Liveness => Ok(StmtKind::Property(self.property()?)),
            Tok::Ident if self.at_contextual_property() => Ok(StmtKind::Property(self.property()?)),
            Tok::Ident => self.named_stmt(),
            _ => Err(self.unexpected("a statement")),
        }
    }

    /// What begins with a name: an assignment, a call, or a multiset statement.
    fn named_stmt(&mut self) -> Parsed<StmtKind> {
        if self.at_builtin("multisetremovepred") {
            return self.multiset_remove_pred();
        }
        if self.at_builtin("multisetadd") || self.at_builtin("multisetremove") {
            return self.multiset_add_or_remove();
        }
        if self.peek_at(1) == Tok::LParen {
            let name = self.name()?;
            return Ok(StmtKind::Call { name, args: self.arguments()? });
        }
        let alone = !matches!(self.peek_at(1), Tok::Assign | Tok::Dot | Tok::LBracket | Tok::Equal);
        if alone {
            let corrected = self.unexpected_word("a statement", &["assume", "cover"], begins_stmt);
            return if corrected { self.stmt_kind(self.span()) } else { Err(Failed) };
        }
        let target = self.designator()?;
        if self.peek() == Tok::Equal {
            let diagnostic = self.unexpected_here("`:=`").help("assignment is written `:=`; `=` compares");
            self.report(diagnostic);
            self.bump();
        } else {
            self.expect(Tok::Assign)?;
        }
        Ok(StmtKind::Assign { target, value: self.expr()? })
    }

    fn multiset_add_or_remove(&mut self) -> Parsed<StmtKind> {
        let add = self.at_word("multisetadd");
        self.bump();
        self.expect(Tok::LParen)?;
        let first = self.expr()?;
        self.expect(Tok::Comma)?;
        let multiset = self.designator()?;
        self.expect(Tok::RParen)?;
        Ok(if add {
            StmtKind::MultisetAdd { element: first, multiset }
        } else {
            StmtKind::MultisetRemove { index: first, multiset }
        })
    }

    fn multiset_remove_pred(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Tok::LParen)?;
        let index = self.name()?;
        self.expect(Tok::Colon)?;
        let multiset = self.designator()?;
        self.expect(Tok::Comma)?;
        let predicate = self.expr()?;
        self.expect(Tok::RParen)?;
        Ok(StmtKind::MultisetRemovePred { index, multiset, predicate })
    }

    fn if_stmt(&mut self, start: Span) -> Parsed<StmtKind> {
        let mut branches = vec![self.branch()?];
        while self.peek() == Tok::Elsif {
            branches.push(self.branch()?);
        }
        let otherwise = if self.eat(Tok::Else) { Some(self.block()) } else { None };
        self.expect_end("`if`", start);
        Ok(StmtKind::If { branches, otherwise })
    }

    fn branch(&mut self) -> Parsed<Branch> {
        let start = self.bump();
        let condition = self.expr()?;
        self.expect_or_go_on(Tok::Then);
        let body = self.block();
        Ok(Branch { span: self.since(start), condition, body })
    }

    fn switch_stmt(&mut self, start: Span) -> Parsed<StmtKind> {
        self.bump();
        let subject = self.expr()?;
        self.eat_semis();
        let mut cases = Vec::new();
        while self.peek() == Tok::Case {
            cases.push(self.case()?);
        }
        let otherwise = if self.eat(Tok::Else) { Some(self.block()) } else { None };
        self.expect_end("`switch`", start);
        Ok(StmtKind::Switch { subject, cases, otherwise })
    }

    fn case(&mut self) -> Parsed<Case> {
        let start = self.bump();
        let mut values: Vec<Expr> = Vec::new();
        while self.peek() != Tok::Colon {
            values.push(self.expr()?);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::Colon)?;
        let body = self.block();
        Ok(Case { span: self.since(start), values, body })
    }

    fn for_stmt(&mut self, start: Span) -> Parsed<StmtKind> {
        self.bump();
        let quantifiers = self.quantifiers()?;
        self.expect_do();
        let body = self.block();
        self.expect_end("`for`", start);
        Ok(StmtKind::For { quantifiers, body })
    }

    fn while_stmt(&mut self, start: Span) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.expr()?;
        self.expect_do();
        let body = self.block();
        self.expect_end("`while`", start);
        Ok(StmtKind::While { condition, body })
    }

    fn alias_stmt(&mut self, start: Span) -> Parsed<StmtKind> {
        self.bump();
        let aliases = self.aliases()?;
        self.expect_do();
        let body = self.block();
        self.expect_end("`alias`", start);
        Ok(StmtKind::Alias { aliases, body })
    }

    /// `a : x; b : y`, in an alias of statements or of rules.
    pub(super) fn aliases(&mut self) -> Parsed<Vec<Alias>> {
        let mut aliases = Vec::new();
        self.eat_semis();
        while self.peek() == Tok::Ident && self.at_declaration() {
            let start = self.span();
            let names = self.names();
            self.expect(Tok::Colon)?;
            let value = self.expr()?;
            aliases.push(Alias { span: self.since(start), names, value });
            self.eat_semis();
        }
        Ok(aliases)
    }

    fn put_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        match self.text_if_any() {
            Some(text) => Ok(StmtKind::PutText(text)),
            None => Ok(StmtKind::PutExpr(self.expr()?)),
        }
    }

    /// `invariant`, `assert`, `assume`, `cover` or `liveness`; its text on either side.
    pub(super) fn property(&mut self) -> Parsed<Property> {
        let start = self.span();
        let word = match self.peek() {
            Tok::Invariant => PropertyWord::Invariant,
            Tok::Assert => PropertyWord::Assert,
            Tok::Liveness => PropertyWord::Liveness,
            _ if self.at_word("assume") => PropertyWord::Assume,
            _ => PropertyWord::Cover,
        };
        self.bump();
        let mut name = self.text_if_any();
        let claim = self.claim(word)?;
        if name.is_none() {
            name = self.text_if_any();
        }
        Ok(Property { span: self.since(start), word, name, claim })
    }

    fn claim(&mut self, word: PropertyWord) -> Parsed<Claim> {
        let left = self.expr()?;
        let (can, leads) = (self.at_word("cangetto"), self.at_word("leadsto"));
        if !(can || leads) || self.at_declaration() {
            return Ok(Claim::Holds(left));
        }
        if word != PropertyWord::Liveness {
            let message = format!("`{}` belongs to `liveness`, not to this property", self.word());
            return Err(self.report(Diagnostic::error(self.span(), message)));
        }
        self.bump();
        let right = self.expr()?;
        Ok(if can { Claim::CanGetTo(left, right) } else { Claim::LeadsTo(left, right) })
    }

    /// Whether an expression that was read where a guard may stand is in truth the head of a statement.
    pub(super) fn is_stmt_head(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Designator(_) => matches!(self.peek(), Tok::Assign),
            ExprKind::Undefined(_) => matches!(self.peek(), Tok::Assign),
            ExprKind::Call { .. } => self.peek() != Tok::LongArrow,
            _ => false,
        }
    }
}
