//! Calls of functions and procedures: number, passing and types of arguments.

use super::places::Meant;
use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::ir::expr::Arg;
use crate::ir::{ExprId, ExprKind, FuncId, Passing, TypeId};
use crate::syntax::{Diagnostic, Span, ast};

impl<'a> Lowerer<'a> {
    pub(super) fn call_named(
        &mut self,
        name: &'a ast::Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Lower<ExprId> {
        let func = self.find_func(name)?;
        self.call_expr(func, args, span)
    }

    pub(super) fn find_func(&mut self, name: &ast::Name) -> Lower<FuncId> {
        match self.scopes.find(&name.text) {
            Some(&Symbol::Func(func)) => Ok(func),
            Some(Symbol::Broken) => Err(super::Reported),
            Some(_) => Err(self.error(name.span, format!("`{}` is not a function or procedure", name.text))),
            None => {
                let near = self.near(&name.text, |symbol| matches!(symbol, Symbol::Func(_)));
                let message = format!("there is no function or procedure `{}`", name.text);
                Err(self.report(Diagnostic::error(name.span, message).suggest(near.as_deref())))
            }
        }
    }

    /// A call used as a value.
    pub(super) fn call_expr(&mut self, func: FuncId, args: &'a [ast::Expr], span: Span) -> Lower<ExprId> {
        let args = self.args(func, args, span)?;
        match self.model.func(func).returns {
            Some(ty) => Ok(self.expr(ExprKind::Call { func, args }, ty, span)),
            None => {
                let message = format!("`{}` is a procedure and has no value", self.model.func(func).name);
                Err(self.error(span, message))
            }
        }
    }

    pub(super) fn args(&mut self, func: FuncId, trees: &'a [ast::Expr], span: Span) -> Lower<Vec<Arg>> {
        let params: Vec<(String, TypeId, Passing)> =
            self.model.func(func).params.iter().map(|p| (p.name.clone(), p.ty, p.passing)).collect();
        if params.len() != trees.len() {
            let name = &self.model.func(func).name;
            let message = format!("`{name}` takes {}, not {}", count(params.len()), trees.len());
            return Err(self.error(span, message));
        }
        let mut args = Vec::new();
        let mut failed = None;
        for ((name, ty, passing), tree) in params.iter().zip(trees) {
            let arg = match passing {
                Passing::Value => self.value_arg(tree, *ty, name),
                Passing::Ref => self.ref_arg(tree, *ty, name),
            };
            match arg {
                Ok(arg) => args.push(arg),
                Err(reported) => failed = Some(reported),
            }
        }
        failed.map_or(Ok(args), Err)
    }

    fn value_arg(&mut self, tree: &'a ast::Expr, ty: TypeId, name: &str) -> Lower<Arg> {
        let expr = self.value(tree)?;
        self.coerce(expr, ty, tree.span, &format!("parameter `{name}`")).map(Arg::Value)
    }

    fn ref_arg(&mut self, tree: &'a ast::Expr, ty: TypeId, name: &str) -> Lower<Arg> {
        let ast::ExprKind::Designator(designator) = &tree.kind else {
            return Err(self.error(tree.span, format!("`var` parameter `{name}` needs a variable")));
        };
        let place = match self.designator(designator)? {
            Meant::Place(place, None) => place,
            Meant::Place(_, Some(reason)) => {
                let message = format!(
                    "`{}` cannot be passed to `var` parameter `{name}`: {reason}",
                    designator.base.text
                );
                return Err(self.error(tree.span, message));
            }
            Meant::Value(_) => {
                return Err(self.error(tree.span, format!("`var` parameter `{name}` needs a variable")));
            }
        };
        if place.ty != ty {
            let message = format!(
                "`var` parameter `{name}` must be exactly {}, not {}",
                self.show(ty),
                self.show(place.ty)
            );
            return Err(self.error(tree.span, message));
        }
        Ok(Arg::Ref(place))
    }
}

fn count(params: usize) -> String {
    match params {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    }
}
