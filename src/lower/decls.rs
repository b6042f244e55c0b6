//! Declarations: constants, types, variables and their slots, locals, subprograms.

use super::scope::{Named, Symbol};
use super::{FRAME_CELLS_MAX, Lower, Lowerer, SLOTS_MAX, at};
use crate::ir::model::FuncParam;
use crate::ir::{
    Base, Frame, Func, FuncId, Local, LocalVar, Passing, Slot, SlotInfo, Type, TypeId, Types, Var,
};
use crate::syntax::{Diagnostic, Span, ast};

/// Names of what may be passed but not stored to.
pub(super) const VALUE_PARAMETER: &str = "it is a parameter without `var`";

impl<'a> Lowerer<'a> {
    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &ast::Name, symbol: Symbol) {
        if !self.scopes.declare(&name.text, symbol) {
            let message = format!("`{}` is declared twice", name.text);
            self.report(Diagnostic::error(name.span, message).label("again here"));
        }
    }

    pub(super) fn global_decl(&mut self, decl: &'a ast::Decl) -> Lower<()> {
        match &decl.kind {
            ast::DeclKind::Const(expr) => self.const_decl(decl, expr),
            ast::DeclKind::Type(tree) => self.type_decl(decl, tree),
            ast::DeclKind::Var(tree) => {
                let ty = self.var_type(tree);
                for name in &decl.names {
                    let symbol = ty.and_then(|ty| self.global_var(name, ty)).unwrap_or(Symbol::Broken);
                    self.declare(name, symbol);
                }
                ty.map(|_| ())
            }
        }
    }

    pub(super) fn local_decls(&mut self, decls: &'a [ast::Decl]) {
        for decl in decls {
            let _ = match &decl.kind {
                ast::DeclKind::Const(expr) => self.const_decl(decl, expr),
                ast::DeclKind::Type(tree) => self.type_decl(decl, tree),
                ast::DeclKind::Var(tree) => self.local_vars(decl, tree),
            };
        }
    }

    fn type_decl(&mut self, decl: &'a ast::Decl, tree: &'a ast::TypeExpr) -> Lower<()> {
        let ty = self.type_expr(tree, decl.names.first().map(|name| name.text.as_str()));
        for name in &decl.names {
            self.declare(name, ty.map_or(Symbol::Broken, Symbol::Type));
        }
        ty.map(|_| ())
    }

    fn var_type(&mut self, tree: &'a ast::TypeExpr) -> Lower<TypeId> {
        let ty = self.type_expr(tree, None)?;
        self.check_size(ty, tree.span)?;
        Ok(ty)
    }

    fn global_var(&mut self, name: &ast::Name, ty: TypeId) -> Lower<Symbol> {
        let first = self.model.slots.len() as u64;
        if first + self.model.types.cells(ty) > SLOTS_MAX {
            let message = format!("with `{}`, a state has more than {SLOTS_MAX} parts", name.text);
            return Err(self.error(name.span, message));
        }
        let var = self.model.vars.len() as u32;
        self.push_slots(ty, var);
        let first = first as u32;
        self.model.vars.push(Var { name: name.text.clone(), ty, first: Slot(first), span: at(name.span) });
        Ok(Symbol::Place(Named { base: Base::State, offset: first, ty, read_only: None }))
    }

    /// Adds one slot for each leaf of the type.
    fn push_slots(&mut self, ty: TypeId, var: u32) {
        if self.model.types.cells(ty) == 0 {
            return;
        }
        match self.model.types.get(ty).clone() {
            Type::Record { fields } => fields.iter().for_each(|field| self.push_slots(field.ty, var)),
            Type::Array { index, elem } => {
                (0..self.model.types.count(index)).for_each(|_| self.push_slots(elem, var));
            }
            Type::Multiset { capacity, elem } => {
                for _ in 0..capacity {
                    self.model.slots.push(SlotInfo { ty: Types::PRESENT, var });
                    self.push_slots(elem, var);
                }
            }
            _ => self.model.slots.push(SlotInfo { ty, var }),
        }
    }

    fn local_vars(&mut self, decl: &'a ast::Decl, tree: &'a ast::TypeExpr) -> Lower<()> {
        let ty = self.var_type(tree);
        for name in &decl.names {
            let symbol = ty.and_then(|ty| {
                let local = self.new_local(&name.text, ty, false, name.span)?;
                Ok(Symbol::Place(Named { base: Base::Frame, offset: local.0, ty, read_only: None }))
            });
            self.declare(name, symbol.unwrap_or(Symbol::Broken));
        }
        ty.map(|_| ())
    }

    /// Makes room in the frame: the cells of the type, or one cell for a reference.
    pub(super) fn new_local(&mut self, name: &str, ty: TypeId, reference: bool, span: Span) -> Lower<Local> {
        let cells = if reference { 1 } else { self.model.types.cells(ty) };
        let local = Local(self.frame.cells);
        if u64::from(self.frame.cells) + cells > FRAME_CELLS_MAX {
            let message =
                format!("with `{name}`, the local variables have more than {FRAME_CELLS_MAX} parts");
            return Err(self.error(span, message));
        }
        self.frame.cells += cells as u32;
        self.frame.locals.push(LocalVar { name: name.to_string(), ty, local, reference });
        Ok(local)
    }

    pub(super) fn subprogram(&mut self, tree: &'a ast::Subprogram) -> Lower<()> {
        self.frame = Frame::default();
        self.scopes.open();
        let params = self.func_params(&tree.params);
        let returns = match &tree.returns {
            Some(tree) => self.var_type(tree).map(Some),
            None => Ok(None),
        };
        let (Ok(params), Ok(returns)) = (params, returns) else {
            self.scopes.close();
            self.declare(&tree.name, Symbol::Broken);
            return Err(super::Reported);
        };
        let id = FuncId(self.model.funcs.len() as u32);
        self.model.funcs.push(Func {
            name: tree.name.text.clone(),
            params,
            returns,
            frame: Frame::default(),
            body: Vec::new(),
            span: at(tree.name.span),
            pure: false,
        });
        self.declare_outside(&tree.name, Symbol::Func(id));
        self.local_decls(&tree.decls);
        self.returns = returns;
        self.in_subprogram = true;
        let body = self.block(&tree.body);
        self.in_subprogram = false;
        self.returns = None;
        self.scopes.close();
        self.func_ends.push(self.model.exprs.len());
        let func = &mut self.model.funcs[id.0 as usize];
        func.frame = std::mem::take(&mut self.frame);
        func.body = body;
        Ok(())
    }

    /// Declares a subprogram around its own scope, where its body can see it.
    fn declare_outside(&mut self, name: &ast::Name, symbol: Symbol) {
        if !self.scopes.declare_outer(&name.text, symbol) {
            let message = format!("`{}` is declared twice", name.text);
            self.report(Diagnostic::error(name.span, message).label("again here"));
        }
    }

    fn func_params(&mut self, trees: &'a [ast::Param]) -> Lower<Vec<FuncParam>> {
        let mut params = Vec::new();
        let mut failed = None;
        for tree in trees {
            let ty = self.var_type(&tree.ty);
            for name in &tree.names {
                let param = ty.and_then(|ty| self.func_param(name, ty, tree.by_var));
                match param {
                    Ok(param) => params.push(param),
                    Err(reported) => {
                        self.declare(name, Symbol::Broken);
                        failed = Some(reported);
                    }
                }
            }
        }
        failed.map_or(Ok(params), Err)
    }

    fn func_param(&mut self, name: &ast::Name, ty: TypeId, by_var: bool) -> Lower<FuncParam> {
        let local = self.new_local(&name.text, ty, by_var, name.span)?;
        let (base, offset, read_only) = match by_var {
            true => (Base::Ref(local), 0, None),
            false => (Base::Frame, local.0, Some(VALUE_PARAMETER)),
        };
        self.declare(name, Symbol::Place(Named { base, offset, ty, read_only }));
        let passing = if by_var { Passing::Ref } else { Passing::Value };
        Ok(FuncParam { name: name.text.clone(), ty, passing, local })
    }
}
