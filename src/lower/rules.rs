//! Rules and what surrounds them: rulesets, aliases, choices, processes.
//!
//! The surroundings become a list of binders that every rule inside carries; their cells come first in the
//! rule's frame. A ruleset with a promise becomes an action group of the rules in it.

use super::scope::Symbol;
use super::{INSTANCES_MAX, Lower, Lowerer, at, quantifiers};
use crate::ir::model::{ActionGroup, instance_count};
use crate::ir::{self, Binder, Component, Fairness, Rule, RuleKind};
use crate::syntax::{Span, ast};

/// What stands around the rule being lowered.
#[derive(Clone, Debug, Default)]
pub(super) struct Surroundings {
    pub binders: Vec<Binder>,
    groups: Vec<ActionGroup>,
    unhelpful: bool,
    component: Option<Component>,
    /// Cells that the binders take in every frame.
    frame: ir::Frame,
    /// Something around is in error: the inside is checked but not kept.
    broken: bool,
}

impl<'a> Lowerer<'a> {
    pub(super) fn rule(&mut self, tree: &'a ast::Rule) -> Lower<()> {
        match &tree.kind {
            ast::RuleKind::Simple(rule) => self.simple_rule(rule, tree.span),
            ast::RuleKind::StartState(start) => self.start_state(start, tree.span),
            ast::RuleKind::Property(property) => self.property(property),
            ast::RuleKind::Fairness(fairness) => self.state_fairness(fairness),
            ast::RuleKind::Ruleset(ruleset) => {
                let fairness = fairness_of(ruleset.promise.fairness);
                let (group, depth) = (self.groups, self.rules.binders.len());
                self.groups += u32::from(fairness != Fairness::None);
                self.inside(&ruleset.rules, |lowerer| {
                    lowerer.rules.unhelpful |= ruleset.promise.unhelpful;
                    if fairness != Fairness::None {
                        lowerer.rules.groups.push(ActionGroup { group, depth, fairness });
                    }
                    ruleset.quantifiers.iter().for_each(|quantifier| lowerer.bind_param(quantifier));
                })
            }
            ast::RuleKind::Process { title, quantifiers, rules } => {
                let first = self.rules.binders.len();
                self.inside(rules, |lowerer| {
                    quantifiers.iter().for_each(|quantifier| lowerer.bind_param(quantifier));
                    let binders = (first..lowerer.rules.binders.len()).collect();
                    lowerer.rules.component = Some(Component { process: title.raw.clone(), binders });
                })
            }
            ast::RuleKind::Alias { aliases, rules } => self.inside(rules, |lowerer| {
                for alias in aliases {
                    alias.names.iter().for_each(|name| lowerer.bind_rule_alias(name, &alias.value));
                }
            }),
            ast::RuleKind::Choose { index, multiset, rules } => {
                self.inside(rules, |lowerer| lowerer.bind_choose(index, multiset))
            }
        }
    }

    /// Lowers rules inside new surroundings and restores the old ones.
    fn inside(&mut self, rules: &'a [ast::Rule], bind: impl FnOnce(&mut Self)) -> Lower<()> {
        let outer = self.rules.clone();
        self.scopes.open();
        self.frame = self.rules.frame.clone();
        bind(self);
        self.rules.frame = std::mem::take(&mut self.frame);
        for rule in rules {
            let _ = self.rule(rule);
        }
        self.scopes.close();
        self.rules = outer;
        Ok(())
    }

    fn bind_param(&mut self, tree: &'a ast::Quantifier) {
        let bound = self.param_domain(tree).and_then(|domain| {
            let local = self.new_local(&tree.name.text, domain.ty(), false, tree.name.span)?;
            Ok((domain, local))
        });
        let symbol = match bound {
            Ok((domain, local)) => {
                self.rules.binders.push(Binder::Param { name: tree.name.text.clone(), local, domain });
                quantifiers::named(domain.ty(), local)
            }
            Err(_) => {
                self.rules.broken = true;
                Symbol::Broken
            }
        };
        self.declare(&tree.name, symbol);
    }

    fn bind_rule_alias(&mut self, name: &'a ast::Name, value: &'a ast::Expr) {
        let text = name.text.clone();
        match self.bind_alias(name, value) {
            Ok((local, ir::Alias::Place(place))) => {
                self.rules.binders.push(Binder::AliasPlace { name: text, local, place });
            }
            Ok((local, ir::Alias::Value(value))) => {
                self.rules.binders.push(Binder::AliasValue { name: text, local, value });
            }
            Err(_) => self.rules.broken = true,
        }
    }

    fn bind_choose(&mut self, index: &'a ast::Name, multiset: &'a ast::Designator) {
        let bound = self.multiset(multiset, false).and_then(|(set, _, capacity)| {
            let local = self.bind_position(index, set.ty, capacity)?;
            Ok(Binder::Choose { name: index.text.clone(), local, set, capacity })
        });
        match bound {
            Ok(binder) => self.rules.binders.push(binder),
            Err(_) => {
                self.declare(index, Symbol::Broken);
                self.rules.broken = true;
            }
        }
    }

    fn simple_rule(&mut self, tree: &'a ast::SimpleRule, span: Span) -> Lower<()> {
        self.scopes.open();
        self.frame = self.rules.frame.clone();
        let guard = match &tree.guard {
            Some(guard) => self.boolean(guard, "the guard").map(Some),
            None => Ok(None),
        };
        self.local_decls(&tree.decls);
        let body = self.block(&tree.body);
        self.scopes.close();
        let number = self.model.rules.len() + 1;
        let name = tree.name.as_ref().map_or(format!("Rule {number}"), |name| name.raw.clone());
        let rule = Rule {
            kind: RuleKind::Rule,
            guard: guard?,
            priority: tree.priority.unwrap_or(0),
            fairness: fairness_of(tree.promise.fairness),
            groups: self.rules.groups.clone(),
            unhelpful: self.rules.unhelpful || tree.promise.unhelpful,
            component: self.rules.component.clone(),
            ..self.bare_rule(name, body, span)
        };
        self.check_instances(&rule.binders, span)?;
        if !self.rules.broken {
            self.model.rules.push(rule);
        }
        Ok(())
    }

    fn start_state(&mut self, tree: &'a ast::StartState, span: Span) -> Lower<()> {
        self.scopes.open();
        self.frame = self.rules.frame.clone();
        self.local_decls(&tree.decls);
        let body = self.block(&tree.body);
        self.scopes.close();
        let number = self.model.starts.len() + 1;
        let name = tree.name.as_ref().map_or(format!("Startstate {number}"), |name| name.raw.clone());
        let rule = Rule { kind: RuleKind::Start, ..self.bare_rule(name, body, span) };
        self.check_instances(&rule.binders, span)?;
        if !self.rules.broken {
            self.model.starts.push(rule);
        }
        Ok(())
    }

    fn bare_rule(&mut self, name: String, body: ir::Block, span: Span) -> Rule {
        Rule {
            kind: RuleKind::Rule,
            name,
            binders: self.rules.binders.clone(),
            guard: None,
            guard_pure: true,
            body,
            frame: std::mem::take(&mut self.frame),
            priority: 0,
            fairness: Fairness::None,
            groups: Vec::new(),
            unhelpful: false,
            component: None,
            span: at(span),
        }
    }

    /// Refuses more instances than can be tried one by one.
    pub(super) fn check_instances(&mut self, binders: &[Binder], span: Span) -> Lower<()> {
        let here = instance_count(binders, &self.model.types);
        self.instances = self.instances.saturating_add(here);
        if self.instances > INSTANCES_MAX {
            let message =
                format!("with {here} instances of this, there are more than {INSTANCES_MAX} in all");
            return Err(self.error(span, message));
        }
        Ok(())
    }

    pub(super) fn surrounding_frame(&self) -> ir::Frame {
        self.rules.frame.clone()
    }

    pub(super) fn surroundings_broken(&self) -> bool {
        self.rules.broken
    }
}

fn fairness_of(tree: ast::Fairness) -> Fairness {
    match tree {
        ast::Fairness::None => Fairness::None,
        ast::Fairness::Weak => Fairness::Weak,
        ast::Fairness::Strong => Fairness::Strong,
    }
}
