//! Statements.
//!
//! A statement in error is left out and the rest of the block is still checked: the model is refused
//! anyway, and all its errors are wanted.

use super::places::Meant;
use super::scope::{Named, Symbol};
use super::{Lower, Lowerer, at};
use crate::ir::model::CoverStatement;
use crate::ir::{self, Base, Block, Stmt, StmtKind};
use crate::syntax::{Diagnostic, Span, ast};

impl<'a> Lowerer<'a> {
    pub(super) fn block(&mut self, trees: &'a [ast::Stmt]) -> Block {
        let mut block = Vec::with_capacity(trees.len());
        for tree in trees {
            if let Ok(kind) = self.stmt(tree) {
                block.push(Stmt { kind, span: at(tree.span) });
            }
        }
        block
    }

    fn stmt(&mut self, tree: &'a ast::Stmt) -> Lower<StmtKind> {
        match &tree.kind {
            ast::StmtKind::Assign { target, value } => self.assign(target, value),
            ast::StmtKind::If { branches, otherwise } => self.if_stmt(branches, otherwise.as_deref()),
            ast::StmtKind::Switch { subject, cases, otherwise } => {
                self.switch(subject, cases, otherwise.as_deref())
            }
            ast::StmtKind::For { quantifiers, body } => self.for_stmt(quantifiers, body, tree.span),
            ast::StmtKind::While { condition, body } => {
                let condition = self.boolean(condition, "the condition of `while`");
                let body = self.block(body);
                Ok(StmtKind::While { condition: condition?, body })
            }
            ast::StmtKind::Alias { aliases, body } => self.alias_stmt(aliases, body, tree.span),
            ast::StmtKind::Call { name, args } => {
                let func = self.find_func(name)?;
                Ok(StmtKind::Call { func, args: self.args(func, args, tree.span)? })
            }
            ast::StmtKind::Clear(designator) => self.clear(designator),
            ast::StmtKind::Undefine(designator) => {
                Ok(StmtKind::Undefine(self.target(designator, "the target of `undefine`")?))
            }
            ast::StmtKind::PutText(text) => Ok(StmtKind::PutText(text.raw.clone())),
            ast::StmtKind::PutExpr(expr) => Ok(StmtKind::PutExpr(self.value(expr)?)),
            ast::StmtKind::Error(text) => Ok(StmtKind::Error(text.raw.clone())),
            ast::StmtKind::Return(value) => self.return_stmt(value.as_ref(), tree.span),
            ast::StmtKind::Property(property) => self.property_stmt(property),
            ast::StmtKind::MultisetAdd { element, multiset } => {
                let expr = self.value(element);
                let (set, elem, _) = self.multiset(multiset, true)?;
                let element = self.coerce(expr?, elem, element.span, "the element")?;
                Ok(StmtKind::MultisetAdd { element, set })
            }
            ast::StmtKind::MultisetRemove { index, multiset } => {
                let position = self.value(index);
                let (set, _, capacity) = self.multiset(multiset, true)?;
                let ty = self.model.types.intern(ir::Type::Position { set: set.ty, capacity });
                let position =
                    self.coerce(position?, ty, index.span, "the first argument of `multisetremove`")?;
                Ok(StmtKind::MultisetRemove { position, set })
            }
            ast::StmtKind::MultisetRemovePred { index, multiset, predicate } => {
                let (set, _, capacity) = self.multiset(multiset, true)?;
                self.scopes.open();
                let local = self.bind_position(index, set.ty, capacity);
                let predicate = self.boolean(predicate, "the predicate of `multisetremovepred`");
                self.scopes.close();
                Ok(StmtKind::MultisetRemovePred { local: local?, set, predicate: predicate? })
            }
        }
    }

    fn assign(&mut self, target: &'a ast::Designator, value: &'a ast::Expr) -> Lower<StmtKind> {
        let to = self.target(target, "the left side of `:=`");
        let from = self.value(value);
        let (to, from) = (to?, from?);
        let from = self.coerce(from, to.ty, value.span, "the value assigned")?;
        Ok(StmtKind::Assign { to, from })
    }

    fn if_stmt(&mut self, trees: &'a [ast::Branch], otherwise: Option<&'a [ast::Stmt]>) -> Lower<StmtKind> {
        let mut branches = Vec::with_capacity(trees.len());
        let mut failed = None;
        for tree in trees {
            let condition = self.boolean(&tree.condition, "the condition of `if`");
            let body = self.block(&tree.body);
            match condition {
                Ok(condition) => branches.push((condition, body)),
                Err(reported) => failed = Some(reported),
            }
        }
        let otherwise = self.block(otherwise.unwrap_or(&[]));
        failed.map_or(Ok(StmtKind::If { branches, otherwise }), Err)
    }

    fn switch(
        &mut self,
        subject: &'a ast::Expr,
        trees: &'a [ast::Case],
        otherwise: Option<&'a [ast::Stmt]>,
    ) -> Lower<StmtKind> {
        let subject_expr = self.value(subject);
        if let Ok(expr) = subject_expr
            && !self.model.types.is_simple(self.type_of(expr))
        {
            let message = format!("`switch` needs a simple value, not {}", self.show(self.type_of(expr)));
            return Err(self.error(subject.span, message));
        }
        let mut cases = Vec::new();
        let mut failed = None;
        for tree in trees {
            let mut values = Vec::new();
            for value in &tree.values {
                let case = self.value(value);
                match (subject_expr, case) {
                    (Ok(subject), Ok(case)) => match self.case_value(subject, case, value.span) {
                        Ok(case) => values.push(case),
                        Err(reported) => failed = Some(reported),
                    },
                    (_, Err(reported)) | (Err(reported), _) => failed = Some(reported),
                }
            }
            cases.push((values, self.block(&tree.body)));
        }
        let otherwise = self.block(otherwise.unwrap_or(&[]));
        let subject = subject_expr?;
        failed.map_or(Ok(StmtKind::Switch { subject, cases, otherwise }), Err)
    }

    /// A case as a value of the subject's type.
    fn case_value(&mut self, subject: ir::ExprId, case: ir::ExprId, span: Span) -> Lower<ir::ExprId> {
        let ty = self.type_of(subject);
        self.coerce(case, ty, span, "the case")
    }

    fn for_stmt(
        &mut self,
        quantifiers: &'a [ast::Quantifier],
        body: &'a [ast::Stmt],
        span: Span,
    ) -> Lower<StmtKind> {
        self.scopes.open();
        let mut bound = Vec::new();
        let mut failed = None;
        for quantifier in quantifiers {
            match self.bind_quantifier(quantifier) {
                Ok(each) => bound.push(each),
                Err(reported) => failed = Some(reported),
            }
        }
        let mut body = self.block(body);
        self.scopes.close();
        if let Some(reported) = failed {
            return Err(reported);
        }
        while let Some((local, domain)) = bound.pop() {
            let kind = StmtKind::For { local, domain, body };
            if bound.is_empty() {
                return Ok(kind);
            }
            body = vec![Stmt { kind, span: at(span) }];
        }
        Err(self.error(span, "the loop binds no variable"))
    }

    fn alias_stmt(
        &mut self,
        aliases: &'a [ast::Alias],
        body: &'a [ast::Stmt],
        span: Span,
    ) -> Lower<StmtKind> {
        self.scopes.open();
        let mut bound = Vec::new();
        for alias in aliases {
            for name in &alias.names {
                if let Ok(each) = self.bind_alias(name, &alias.value) {
                    bound.push(each);
                }
            }
        }
        let mut block = self.block(body);
        self.scopes.close();
        for (local, target) in bound.into_iter().rev() {
            let kind = StmtKind::Alias { local, target, body: block };
            block = vec![Stmt { kind, span: at(span) }];
        }
        let always = self.expr(ir::ExprKind::Const(1), ir::Types::BOOL, span);
        match block.pop() {
            Some(only) if block.is_empty() => Ok(only.kind),
            last => {
                block.extend(last);
                Ok(StmtKind::If { branches: vec![(always, block)], otherwise: Vec::new() })
            }
        }
    }

    /// Declares one alias: a reference to a place, or a value worked out once.
    pub(super) fn bind_alias(
        &mut self,
        name: &ast::Name,
        value: &'a ast::Expr,
    ) -> Lower<(ir::Local, ir::Alias)> {
        let meant = match &value.kind {
            ast::ExprKind::Designator(designator) => self.designator(designator),
            _ => self.value(value).map(Meant::Value),
        };
        let bound = meant.and_then(|meant| self.bind_meant(name, meant));
        let symbol = match &bound {
            Ok((named, _, _)) => Symbol::Place(named.clone()),
            Err(_) => Symbol::Broken,
        };
        let symbol = match &bound {
            Ok((_, _, ir::Alias::Value(expr))) => match self.constant(*expr) {
                Some(known) => Symbol::Const { ty: self.type_of(*expr), value: known },
                None => symbol,
            },
            _ => symbol,
        };
        self.declare(name, symbol);
        bound.map(|(_, local, target)| (local, target))
    }

    fn bind_meant(&mut self, name: &ast::Name, meant: Meant) -> Lower<(Named, ir::Local, ir::Alias)> {
        match meant {
            Meant::Place(place, read_only) => {
                let ty = place.ty;
                let local = self.new_local(&name.text, ty, true, name.span)?;
                Ok((
                    Named { base: Base::Ref(local), offset: 0, ty, read_only },
                    local,
                    ir::Alias::Place(place),
                ))
            }
            Meant::Value(expr) => {
                let ty = self.type_of(expr);
                let simple = self.model.types.is_simple(ty);
                let local = self.new_local(&name.text, ty, !simple, name.span)?;
                let (base, offset) = if simple { (Base::Frame, local.0) } else { (Base::Ref(local), 0) };
                let read_only = Some("it is an alias of a value, not of a variable");
                Ok((Named { base, offset, ty, read_only }, local, ir::Alias::Value(expr)))
            }
        }
    }

    fn clear(&mut self, designator: &'a ast::Designator) -> Lower<StmtKind> {
        let place = self.target(designator, "the target of `clear`")?;
        if self.model.types.has_scalarset_leaf(place.ty) {
            let message = format!("`clear` of {} would favour one value of a scalarset", self.show(place.ty));
            let help =
                "all values of a scalarset are interchangeable; use `undefine`, or store a bound variable";
            return Err(self.report(Diagnostic::error(designator.span, message).help(help)));
        }
        Ok(StmtKind::Clear(place))
    }

    fn return_stmt(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Lower<StmtKind> {
        match (value, self.returns) {
            (None, None) => Ok(StmtKind::Return(None)),
            (Some(tree), Some(ty)) => {
                let expr = self.value(tree)?;
                Ok(StmtKind::Return(Some(self.coerce(expr, ty, tree.span, "the result")?)))
            }
            (None, Some(_)) => Err(self.error(span, "a function must return a value")),
            (Some(tree), None) => {
                let _ = self.value(tree);
                let place = if self.in_subprogram { "a procedure" } else { "a rule" };
                Err(self.error(tree.span, format!("{place} returns no value")))
            }
        }
    }

    fn property_stmt(&mut self, tree: &'a ast::Property) -> Lower<StmtKind> {
        let ast::Claim::Holds(claim) = &tree.claim else {
            return Err(self.error(tree.span, "this property is about all states: it cannot be a statement"));
        };
        let condition = self.boolean(claim, "the condition")?;
        let text = self.source.slice(claim.span).to_string();
        let message = tree.name.as_ref().map_or(text, |name| name.raw.clone());
        match tree.word {
            ast::PropertyWord::Invariant | ast::PropertyWord::Assert => {
                Ok(StmtKind::Assert { condition, message })
            }
            ast::PropertyWord::Assume => Ok(StmtKind::Assume { condition }),
            ast::PropertyWord::Cover => {
                let cover = self.model.cover_statements.len() as u32;
                self.model.cover_statements.push(CoverStatement { name: message, span: at(tree.span) });
                Ok(StmtKind::Cover { cover, condition })
            }
            ast::PropertyWord::Liveness => {
                Err(self.error(tree.span, "`liveness` is about all states: it cannot be a statement"))
            }
        }
    }
}
