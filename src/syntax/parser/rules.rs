//! Rules and all that may stand among them: start states, rulesets, aliases, choices, processes,
//! properties, fairness.
//!
//! `fair`, `strong`, `unhelpful`, `process`, `choose`, `fairness`, `assume` and `cover` are names
//! everywhere but at the head of a rule, where no name could stand.

use super::expressions::is_operator;
use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{
    BinOp, Expr, ExprKind, Fairness, Promise, Rule, RuleKind, Ruleset, SimpleRule, StartState, StateFairness,
    StateFairnessKind,
};
use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::Span;
use crate::syntax::token::Tok;

const RULE_WORDS: [&str; 8] =
    ["fair", "strong", "unhelpful", "process", "choose", "fairness", "assume", "cover"];

/// Whether a reserved word begins a rule.
fn begins_rule(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Rule
            | Tok::Ruleset
            | Tok::StartState
            | Tok::Alias
            | Tok::Invariant
            | Tok::Assert
            | Tok::Liveness
    )
}

impl Parser<'_> {
    pub(super) fn rule(&mut self) -> Parsed<Rule> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.rule_kind(start)?;
            Ok(Rule { span: parser.since(start), kind })
        })
    }

    fn rule_kind(&mut self, start: Span) -> Parsed<RuleKind> {
        match self.peek() {
            Tok::Rule => Ok(RuleKind::Simple(self.simple_rule(Promise::default())?)),
            Tok::Ruleset => Ok(RuleKind::Ruleset(self.ruleset(Promise::default())?)),
            Tok::StartState => self.start_state(start),
            Tok::Alias => {
                self.bump();
                let aliases = self.aliases()?;
                Ok(RuleKind::Alias { aliases, rules: self.rules("alias", start) })
            }
            Tok::Invariant | Tok::Assert | Tok::Liveness => Ok(RuleKind::Property(self.property()?)),
            Tok::Ident => self.contextual_rule(start),
            _ => Err(self.unexpected("a declaration or a rule")),
        }
    }

    /// Whether a word of `RULE_WORDS` stands behind a semicolon and is not used as a name.
    pub(super) fn at_contextual_rule(&self) -> bool {
        let behind = self.at > 0 && self.tokens[self.at - 1].tok == Tok::Semi;
        let as_name = matches!(
            self.peek_at(1),
            Tok::Assign | Tok::Colon | Tok::Comma | Tok::Dot | Tok::LBracket | Tok::LParen
        );
        behind && !as_name && RULE_WORDS.iter().any(|word| self.at_word(word))
    }

    fn contextual_rule(&mut self, start: Span) -> Parsed<RuleKind> {
        if self.at_contextual_property() {
            Ok(RuleKind::Property(self.property()?))
        } else if self.at_word("choose") {
            self.bump();
            let index = self.name()?;
            self.expect(Tok::Colon)?;
            let multiset = self.designator()?;
            Ok(RuleKind::Choose { index, multiset, rules: self.rules("choose", start) })
        } else if self.at_word("process") {
            self.bump();
            let title = self.text()?;
            let quantifiers = self.quantifiers()?;
            Ok(RuleKind::Process { title, quantifiers, rules: self.rules("process", start) })
        } else if self.at_word("fairness") {
            self.bump();
            let name = self.text_if_any();
            let kind = StateFairnessKind::Weak(self.expr()?);
            let span = self.since(start);
            Ok(RuleKind::Fairness(StateFairness { span, cmurphi_word: true, name, kind }))
        } else if self.at_word("fair") || self.at_word("strong") || self.at_word("unhelpful") {
            self.promised(start)
        } else {
            let others = [&RULE_WORDS[..], &["const", "type", "var", "function", "procedure"]].concat();
            let corrected = self.unexpected_word("a declaration or a rule", &others, begins_rule);
            if corrected { self.rule_kind(start) } else { Err(Failed) }
        }
    }

    /// What `fair`, `strong fair` and `unhelpful` stand before.
    fn promised(&mut self, start: Span) -> Parsed<RuleKind> {
        let mut promise = Promise::default();
        loop {
            if self.at_word("unhelpful") {
                self.bump();
                promise.unhelpful = true;
            } else if self.at_word("strong") && self.word_at_is(1, "fair") {
                self.bump();
                self.bump();
                promise.fairness = Fairness::Strong;
            } else if self.at_word("fair") && promise.fairness == Fairness::None {
                self.bump();
                promise.fairness = Fairness::Weak;
            } else {
                break;
            }
        }
        match self.peek() {
            Tok::Rule => Ok(RuleKind::Simple(self.simple_rule(promise)?)),
            Tok::Ruleset => Ok(RuleKind::Ruleset(self.ruleset(promise)?)),
            _ if promise.unhelpful => Err(self.unexpected("`rule` or `ruleset`")),
            _ => self.state_fairness(start, promise.fairness),
        }
    }

    fn state_fairness(&mut self, start: Span, fairness: Fairness) -> Parsed<RuleKind> {
        if fairness == Fairness::None {
            return Err(self.unexpected("`fair`"));
        }
        let name = self.text_if_any();
        if !self.at_expr() {
            return Err(self.unexpected("`rule`, `ruleset` or an expression"));
        }
        let expr = self.expr()?;
        let kind = match fairness {
            Fairness::Strong => self.strong_kind(expr)?,
            _ => StateFairnessKind::Weak(expr),
        };
        let span = self.since(start);
        Ok(RuleKind::Fairness(StateFairness { span, cmurphi_word: false, name, kind }))
    }

    fn strong_kind(&mut self, expr: Expr) -> Parsed<StateFairnessKind> {
        match expr.kind {
            ExprKind::Binary { op: BinOp::Implies, left, right } => {
                Ok(StateFairnessKind::Strong { premise: *left, conclusion: *right })
            }
            _ => {
                let message = "strong fairness of states has the form `P -> Q`";
                let help = "it says: if P holds again and again, so does Q";
                Err(self.report(Diagnostic::error(expr.span, message).help(help)))
            }
        }
    }

    /// `do rules end`.
    fn rules(&mut self, of: &str, opening: Span) -> Vec<Rule> {
        self.expect_do();
        let mut rules = Vec::new();
        self.eat_semis();
        while !self.at_rules_end() {
            let before = self.at;
            match self.rule() {
                Ok(rule) => rules.push(rule),
                Err(_) => self.skip_until(before, |parser| {
                    parser.at_rules_end()
                        || matches!(parser.peek(), Tok::Rule | Tok::Ruleset | Tok::StartState)
                }),
            }
            self.eat_semis();
        }
        if self.at_word("endchoose") || self.at_word("endprocess") {
            self.bump();
        } else {
            self.expect_end(of, opening);
        }
        rules
    }

    fn at_rules_end(&self) -> bool {
        matches!(self.peek(), Tok::End | Tok::Eof | Tok::Function | Tok::Procedure)
            || self.at_section()
            || self.at_word("endchoose")
            || self.at_word("endprocess")
    }

    fn ruleset(&mut self, promise: Promise) -> Parsed<Ruleset> {
        let opening = self.bump();
        let quantifiers = self.quantifiers()?;
        Ok(Ruleset { promise, quantifiers, rules: self.rules("ruleset", opening) })
    }

    fn start_state(&mut self, start: Span) -> Parsed<RuleKind> {
        self.bump();
        let name = self.text_if_any();
        self.eat_semis();
        let decls = self.sections();
        self.eat(Tok::Begin);
        let body = self.block();
        self.expect_end("start state", start);
        Ok(RuleKind::StartState(StartState { name, decls, body }))
    }

    fn simple_rule(&mut self, promise: Promise) -> Parsed<SimpleRule> {
        let start = self.bump();
        let unfair = self.at_word("unfair")
            && matches!(self.peek_at(1), Tok::Str | Tok::Int | Tok::Ident | Tok::Begin);
        if unfair {
            self.bump();
        }
        let priority = self.priority()?;
        let name = self.text_if_any();
        let guard = self.guard()?;
        let decls = self.sections();
        self.eat(Tok::Begin);
        let body = self.block();
        self.expect_end("rule", start);
        Ok(SimpleRule { promise, unfair, priority, name, guard, decls, body })
    }

    /// A number that no operator follows is CMurphi's priority, not the guard's first operand.
    fn priority(&mut self) -> Parsed<Option<i64>> {
        let next = self.peek_at(1);
        if self.peek() != Tok::Int || is_operator(next) || next == Tok::LongArrow {
            return Ok(None);
        }
        match self.expr()?.kind {
            ExprKind::Int { value, .. } => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// `expression ==>`, unless the body begins at once.
    fn guard(&mut self) -> Parsed<Option<Expr>> {
        if !self.at_expr() || self.at_stmt_word() {
            return Ok(None);
        }
        let before = self.at;
        let expr = self.expr()?;
        if self.is_stmt_head(&expr) {
            self.at = before;
            return Ok(None);
        }
        self.expect_or_go_on(Tok::LongArrow);
        Ok(Some(expr))
    }
}
