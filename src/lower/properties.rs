//! Properties and fairness of states.

use super::{Lower, Lowerer, at};
use crate::ir::{Property, PropertyKind, StateFairness};
use crate::syntax::{Diagnostic, ast};

impl<'a> Lowerer<'a> {
    pub(super) fn property(&mut self, tree: &'a ast::Property) -> Lower<()> {
        self.frame = self.surrounding_frame();
        let what = "a property";
        let (claim, target) = match &tree.claim {
            ast::Claim::Holds(claim) => (self.boolean(claim, what), None),
            ast::Claim::CanGetTo(claim, target) | ast::Claim::LeadsTo(claim, target) => {
                (self.boolean(claim, what), Some(self.boolean(target, what)))
            }
        };
        let kind = match (tree.word, &tree.claim) {
            (_, ast::Claim::CanGetTo(..)) => PropertyKind::CanGetTo,
            (_, ast::Claim::LeadsTo(..)) => PropertyKind::LeadsTo,
            (ast::PropertyWord::Invariant | ast::PropertyWord::Assert, _) => PropertyKind::Invariant,
            (ast::PropertyWord::Assume, _) => PropertyKind::Assume,
            (ast::PropertyWord::Cover, _) => PropertyKind::Cover,
            (ast::PropertyWord::Liveness, _) => PropertyKind::AlwaysPossible,
        };
        let property = Property {
            kind,
            name: self.property_name(tree, kind),
            binders: self.rules.binders.clone(),
            claim: claim?,
            target: target.transpose()?,
            frame: std::mem::take(&mut self.frame),
            span: at(tree.span),
        };
        self.check_instances(&property.binders, tree.span)?;
        if !self.surroundings_broken() {
            self.model.properties.push(property);
        }
        Ok(())
    }

    /// The name as written, or the word and its number among those of its kind.
    fn property_name(&self, tree: &ast::Property, kind: PropertyKind) -> String {
        if let Some(name) = &tree.name {
            return name.raw.clone();
        }
        let word = match kind {
            PropertyKind::Invariant => "Invariant",
            PropertyKind::Assume => "Assumption",
            PropertyKind::Cover => "Cover",
            _ => "Liveness",
        };
        let liveness = |kind| {
            matches!(kind, PropertyKind::AlwaysPossible | PropertyKind::CanGetTo | PropertyKind::LeadsTo)
        };
        let same = |each: &&Property| each.kind == kind || (liveness(each.kind) && liveness(kind));
        format!("{word} {}", self.model.properties.iter().filter(same).count() + 1)
    }

    pub(super) fn state_fairness(&mut self, tree: &'a ast::StateFairness) -> Lower<()> {
        if tree.cmurphi_word {
            let message = "`fairness` only matters to properties with LEADSTO; no other check uses it";
            self.warn(Diagnostic::warning(tree.span, message));
        }
        self.frame = self.surrounding_frame();
        let (premise, conclusion) = match &tree.kind {
            ast::StateFairnessKind::Weak(expr) => (None, self.boolean(expr, "a fairness condition")),
            ast::StateFairnessKind::Strong { premise, conclusion } => (
                Some(self.boolean(premise, "a fairness condition")),
                self.boolean(conclusion, "a fairness condition"),
            ),
        };
        let number = self.model.fairness.len() + 1;
        let fairness = StateFairness {
            name: tree.name.as_ref().map_or(format!("Fairness {number}"), |name| name.raw.clone()),
            binders: self.rules.binders.clone(),
            premise: premise.transpose()?,
            conclusion: conclusion?,
            frame: std::mem::take(&mut self.frame),
            span: at(tree.span),
        };
        self.check_instances(&fairness.binders, tree.span)?;
        if !self.surroundings_broken() {
            self.model.fairness.push(fairness);
        }
        Ok(())
    }
}
