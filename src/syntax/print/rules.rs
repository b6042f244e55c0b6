//! Rules and all that may stand among them.

use super::Printer;
use super::statements::{quantifiers_text, quoted};
use crate::syntax::ast::{
    Fairness, Promise, Rule, RuleKind, SimpleRule, StartState, StateFairness, StateFairnessKind,
};
use crate::syntax::span::Span;

fn promise_text(promise: Promise) -> String {
    let fairness = match promise.fairness {
        Fairness::None => "",
        Fairness::Weak => "fair ",
        Fairness::Strong => "strong fair ",
    };
    format!("{fairness}{}", if promise.unhelpful { "unhelpful " } else { "" })
}

impl Printer<'_> {
    pub(super) fn rule(&mut self, rule: &Rule) {
        let span = rule.span;
        match &rule.kind {
            RuleKind::Simple(simple) => self.simple_rule(span, simple),
            RuleKind::StartState(start) => self.start_state(span, start),
            RuleKind::Ruleset(ruleset) => {
                let head_end = ruleset.quantifiers.last().map_or(span.start, |last| last.span.end);
                self.leading(span.start, head_end);
                let quantifiers = quantifiers_text(&ruleset.quantifiers);
                self.line(&format!("{}ruleset {quantifiers} do", promise_text(ruleset.promise)));
                self.rules(head_end, span.end, &ruleset.rules);
            }
            RuleKind::Alias { aliases, rules } => {
                let first = rules.first().map_or(span.end, |rule| rule.span.start);
                self.alias_head(span.start, aliases, first);
                self.rules(span.end, span.end, rules);
            }
            RuleKind::Choose { index, multiset, rules } => {
                self.leading(span.start, multiset.span.end);
                let multiset_text = super::flat::unbounded(|flat| flat.designator(multiset));
                self.line(&format!("choose {} : {multiset_text} do", index.text));
                self.rules(multiset.span.end, span.end, rules);
            }
            RuleKind::Process { title, quantifiers, rules } => {
                let head_end = quantifiers.last().map_or(title.span.end, |last| last.span.end);
                self.leading(span.start, head_end);
                self.line(&format!("process {} {} do", quoted(title), quantifiers_text(quantifiers)));
                self.rules(head_end, span.end, rules);
            }
            RuleKind::Property(property) => {
                self.leading(span.start, self.property_solid_end(property));
                self.property(property);
                self.trailing(span.end);
            }
            RuleKind::Fairness(fairness) => {
                self.leading(span.start, span.end);
                self.state_fairness(fairness);
                self.trailing(span.end);
            }
        }
    }

    fn rules(&mut self, head_end: u32, end: u32, rules: &[Rule]) {
        self.trailing_head(head_end, rules.first().map_or(end, |rule| rule.span.start));
        self.indented(|printer| rules.iter().for_each(|rule| printer.rule(rule)));
        self.close(end);
    }

    fn simple_rule(&mut self, span: Span, rule: &SimpleRule) {
        let name_end = rule.name.as_ref().map_or(span.start, |name| name.span.end);
        self.leading(span.start, name_end);
        let mut head = promise_text(rule.promise) + "rule";
        if rule.unfair {
            head.push_str(" unfair");
        }
        if let Some(priority) = rule.priority {
            head.push_str(&format!(" {priority}"));
        }
        if let Some(name) = &rule.name {
            head.push_str(&format!(" {}", quoted(name)));
        }
        self.line(&head);
        let mut head_end = name_end;
        let first = rule.body.first().map_or(span.end, |stmt| stmt.span.start);
        let inside = rule.decls.first().map_or(first, |decl| decl.span.start);
        if let Some(guard) = &rule.guard {
            if rule.name.is_some() {
                self.trailing_head(name_end, guard.span.start);
            }
            self.indented(|printer| {
                printer.comments_before(printer.solid_end(guard, guard.span.end));
                printer.headed("", guard, "");
                printer.trailing_head(guard.span.end, inside);
            });
            self.line("==>");
            head_end = guard.span.end;
        }
        self.body(head_end, span.end, &rule.decls, &rule.body);
    }

    fn start_state(&mut self, span: Span, start: &StartState) {
        let head_end = start.name.as_ref().map_or(span.start, |name| name.span.end);
        self.leading(span.start, head_end);
        match &start.name {
            Some(name) => self.line(&format!("startstate {}", quoted(name))),
            None => self.line("startstate"),
        }
        self.body(head_end, span.end, &start.decls, &start.body);
    }

    fn state_fairness(&mut self, fairness: &StateFairness) {
        let word = match (&fairness.kind, fairness.cmurphi_word) {
            (_, true) => "fairness",
            (StateFairnessKind::Weak(_), false) => "fair",
            (StateFairnessKind::Strong { .. }, false) => "strong fair",
        };
        let head = fairness.name.as_ref().map_or(word.to_string(), |name| format!("{word} {}", quoted(name)));
        match &fairness.kind {
            StateFairnessKind::Weak(expr) => self.headed(&format!("{head} "), expr, ";"),
            StateFairnessKind::Strong { premise, conclusion } => {
                let part =
                    |expr| super::flat::unbounded(|flat| flat.expr(expr, crate::syntax::ast::Level::OrOr));
                self.line(&format!("{head} {} -> {};", part(premise), part(conclusion)));
            }
        }
    }
}
