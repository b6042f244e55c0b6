//! Designators to places: variables, fields, elements.

use super::scope::{Named, Symbol};
use super::{Lower, Lowerer, Reported, at};
use crate::ir::{ExprId, ExprKind, Index, Place, Type, TypeId};
use crate::syntax::{Diagnostic, Span, ast, nearest};

/// What a designator turned out to be.
pub(super) enum Meant {
    Place(Place, Option<&'static str>),
    Value(ExprId),
}

impl<'a> Lowerer<'a> {
    pub(super) fn designator(&mut self, tree: &'a ast::Designator) -> Lower<Meant> {
        let symbol = match self.scopes.find(&tree.base.text) {
            Some(symbol) => symbol.clone(),
            None => return Err(self.unknown_name(&tree.base)),
        };
        match symbol {
            Symbol::Place(named) => {
                let read_only = named.read_only;
                self.select(&named, tree).map(|place| Meant::Place(place, read_only))
            }
            Symbol::Const { ty, value } => {
                if let Some(selector) = tree.selectors.first() {
                    let span = selector_span(selector);
                    return Err(
                        self.error(span, format!("`{}` is a constant and has no parts", tree.base.text))
                    );
                }
                Ok(Meant::Value(self.expr(ExprKind::Const(value), ty, tree.span)))
            }
            Symbol::Func(func) if tree.selectors.is_empty() => {
                self.call_expr(func, &[], tree.span).map(Meant::Value)
            }
            Symbol::Func(_) => {
                Err(self.error(tree.base.span, format!("`{}` is a subprogram", tree.base.text)))
            }
            Symbol::Type(_) => {
                let message = format!("`{}` is a type, not a value", tree.base.text);
                Err(self.error(tree.base.span, message))
            }
            Symbol::Broken => Err(Reported),
        }
    }

    pub(super) fn unknown_name(&mut self, name: &ast::Name) -> Reported {
        let near = self.near(&name.text, |symbol| !matches!(symbol, Symbol::Type(_)));
        let message = format!("there is no `{}` here", name.text);
        self.report(Diagnostic::error(name.span, message).suggest(near.as_deref()))
    }

    /// A designator that must be a place.
    pub(super) fn place(&mut self, tree: &'a ast::Designator, what: &str) -> Lower<Place> {
        match self.designator(tree)? {
            Meant::Place(place, _) => Ok(place),
            Meant::Value(_) => Err(self.error(tree.span, format!("{what} must be a variable"))),
        }
    }

    /// A designator that is stored to.
    pub(super) fn target(&mut self, tree: &'a ast::Designator, what: &str) -> Lower<Place> {
        match self.designator(tree)? {
            Meant::Place(place, None) => Ok(place),
            Meant::Place(_, Some(reason)) => {
                let message = format!("`{}` cannot be changed: {reason}", tree.base.text);
                Err(self.error(tree.span, message))
            }
            Meant::Value(_) => Err(self.error(tree.span, format!("{what} must be a variable"))),
        }
    }

    /// A designator that must be a multiset.
    pub(super) fn multiset(
        &mut self,
        tree: &'a ast::Designator,
        stored: bool,
    ) -> Lower<(Place, TypeId, u32)> {
        let place = if stored { self.target(tree, "a multiset")? } else { self.place(tree, "a multiset")? };
        match *self.model.types.get(place.ty) {
            Type::Multiset { capacity, elem } => Ok((place, elem, capacity)),
            _ => {
                let message =
                    format!("`{}` is {}, not a multiset", self.source.slice(tree.span), self.show(place.ty));
                Err(self.error(tree.span, message))
            }
        }
    }

    fn select(&mut self, named: &Named, tree: &'a ast::Designator) -> Lower<Place> {
        let mut place = Place {
            base: named.base,
            offset: named.offset,
            indices: Vec::new(),
            ty: named.ty,
            span: at(tree.span),
        };
        for selector in &tree.selectors {
            match selector {
                ast::Selector::Field(name) => self.select_field(&mut place, name)?,
                ast::Selector::Index(expr) => self.select_element(&mut place, expr)?,
            }
        }
        Ok(place)
    }

    fn select_field(&mut self, place: &mut Place, name: &ast::Name) -> Lower<()> {
        let Type::Record { fields } = self.model.types.get(place.ty) else {
            let message = format!("{} has no fields", self.show(place.ty));
            return Err(self.error(name.span, message));
        };
        if let Some(field) = fields.iter().find(|field| field.name == name.text) {
            (place.ty, place.offset) = (field.ty, place.offset + field.offset);
            return Ok(());
        }
        let near = nearest(&name.text, fields.iter().map(|field| field.name.as_str())).map(str::to_string);
        let message = format!("the record has no field `{}`", name.text);
        Err(self.report(Diagnostic::error(name.span, message).suggest(near.as_deref())))
    }

    fn select_element(&mut self, place: &mut Place, tree: &'a ast::Expr) -> Lower<()> {
        let index = self.value(tree)?;
        match *self.model.types.get(place.ty) {
            Type::Array { index: ty, elem } => {
                let index = self.coerce(index, ty, tree.span, "the index")?;
                let stride = self.model.types.cells(elem) as u32;
                self.add_index(place, index, ty, stride);
                place.ty = elem;
            }
            Type::Multiset { capacity, elem } => {
                let ty = self.model.types.intern(Type::Position { set: place.ty, capacity });
                let index = self.coerce(index, ty, tree.span, "the index of a multiset")?;
                let stride = self.model.types.cells(elem) as u32 + 1;
                place.indices.push(Index { expr: index, ty, stride });
                place.offset += 1;
                place.ty = elem;
            }
            _ => {
                let message = format!("{} has no elements", self.show(place.ty));
                return Err(self.error(tree.span, message));
            }
        }
        Ok(())
    }

    /// A constant index in range moves the offset; any other is worked out and checked at run time.
    fn add_index(&mut self, place: &mut Place, index: ExprId, ty: TypeId, stride: u32) {
        match self.constant(index).filter(|&value| self.model.types.contains(ty, value)) {
            Some(value) => place.offset += value.abs_diff(self.model.types.first(ty)) as u32 * stride,
            None => place.indices.push(Index { expr: index, ty, stride }),
        }
    }
}

fn selector_span(selector: &ast::Selector) -> Span {
    match selector {
        ast::Selector::Index(expr) => expr.span,
        ast::Selector::Field(name) => name.span,
    }
}
