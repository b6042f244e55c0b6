//! The items of a model: const, type and var sections, functions and procedures; rules are in `rules`.

use super::{Parsed, Parser};
use crate::syntax::ast::{Decl, DeclKind, Item, Param, Subprogram};
use crate::syntax::token::Tok;

impl Parser<'_> {
    /// The whole text, in any order.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        self.eat_semis();
        while self.peek() != Tok::Eof {
            let before = self.at;
            if self.at_section() {
                items.extend(self.section().into_iter().map(Item::Decl));
            } else if matches!(self.peek(), Tok::Function | Tok::Procedure) {
                match self.subprogram() {
                    Ok(subprogram) => items.push(Item::Subprogram(subprogram)),
                    Err(_) => self.skip_until(before, Self::at_item),
                }
            } else {
                match self.rule() {
                    Ok(rule) => items.push(Item::Rule(rule)),
                    Err(_) => self.skip_until(before, Self::at_item),
                }
            }
            self.eat_semis();
        }
        items
    }

    pub(super) fn at_section(&self) -> bool {
        matches!(self.peek(), Tok::Const | Tok::Type | Tok::Var)
    }

    /// Whether an item surely begins here: where reading goes on after an error.
    pub(super) fn at_item(&self) -> bool {
        self.at_section()
            || matches!(self.peek(), Tok::Function | Tok::Procedure | Tok::Rule | Tok::Ruleset)
            || matches!(self.peek(), Tok::StartState | Tok::Invariant | Tok::Liveness)
            || self.at_contextual_rule()
    }

    /// Sections one after the other: the local declarations of a rule or subprogram.
    pub(super) fn sections(&mut self) -> Vec<Decl> {
        let mut decls = Vec::new();
        while self.at_section() {
            decls.extend(self.section());
        }
        decls
    }

    /// `const`, `type` or `var` and all that is declared under it.
    fn section(&mut self) -> Vec<Decl> {
        let word = self.peek();
        self.bump();
        self.eat_semis();
        let mut decls = Vec::new();
        while self.at_declaration() || self.at_broken_declaration() {
            let before = self.at;
            match self.decl(word) {
                Ok(decl) => decls.push(decl),
                Err(_) => self.skip_until(before, |parser| {
                    matches!(parser.peek(), Tok::Semi | Tok::Begin) || parser.at_item()
                }),
            }
            self.eat_semis();
        }
        decls
    }

    /// `x boolean` or `N = 3`: surely meant to declare something, though the colon is missing.
    fn at_broken_declaration(&self) -> bool {
        let value = matches!(
            self.peek_at(1),
            Tok::Boolean | Tok::Enum | Tok::Record | Tok::Array | Tok::Scalarset | Tok::Int | Tok::Equal
        );
        self.peek() == Tok::Ident && value && !self.at_contextual_rule()
    }

    fn decl(&mut self, word: Tok) -> Parsed<Decl> {
        let start = self.span();
        let names = self.names();
        self.expect(Tok::Colon)?;
        let kind = match word {
            Tok::Const => DeclKind::Const(self.expr()?),
            Tok::Type => DeclKind::Type(self.type_expr()?),
            _ => DeclKind::Var(self.type_expr()?),
        };
        Ok(Decl { span: self.since(start), names, kind })
    }

    fn subprogram(&mut self) -> Parsed<Subprogram> {
        let start = self.bump();
        let name = self.name()?;
        self.subprograms.insert(name.text.to_ascii_lowercase());
        self.expect(Tok::LParen)?;
        let params = self.params()?;
        if self.peek() != Tok::RParen {
            return Err(self.unexpected("a parameter or `)`"));
        }
        self.bump();
        let returns = if self.eat(Tok::Colon) { Some(self.type_expr()?) } else { None };
        self.eat_semis();
        let decls = self.sections();
        self.eat(Tok::Begin);
        let body = self.block();
        let of = if returns.is_some() { "function" } else { "procedure" };
        self.expect_end(of, start);
        Ok(Subprogram { span: self.since(start), name, params, returns, decls, body })
    }

    fn params(&mut self) -> Parsed<Vec<Param>> {
        let mut params = Vec::new();
        self.eat_semis();
        while matches!(self.peek(), Tok::Var | Tok::Ident) {
            let start = self.span();
            let by_var = self.eat(Tok::Var);
            let names = self.names();
            self.expect(Tok::Colon)?;
            let ty = self.type_expr()?;
            params.push(Param { span: self.since(start), by_var, names, ty });
            self.eat_semis();
        }
        Ok(params)
    }
}
