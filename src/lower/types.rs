//! Type expressions to types: exact ranges, one type for each enum and scalarset declaration.

use std::collections::HashSet;

use super::scope::Symbol;
use super::{Lower, Lowerer, SLOTS_MAX};
use crate::ir::{Field, Type, TypeId, Types};
use crate::syntax::{Diagnostic, Span, ast};

/// How deep records, arrays and multisets may nest, through names too.
const TYPE_DEPTH_MAX: u32 = 200;

/// How many elements a multiset may have room for.
const CAPACITY_MAX: i64 = 1 << 16;

impl<'a> Lowerer<'a> {
    /// The type meant; `name` is what a declaration calls it.
    pub(super) fn type_expr(&mut self, tree: &'a ast::TypeExpr, name: Option<&str>) -> Lower<TypeId> {
        let id = match &tree.kind {
            ast::TypeKind::Boolean => return Ok(Types::BOOL),
            ast::TypeKind::Named(name) => return self.named_type(name),
            ast::TypeKind::Range(from, to) => {
                let lo = self.constant_int(from, "the bound of a range");
                let hi = self.constant_int(to, "the bound of a range");
                let (lo, hi) = (lo?, hi?);
                return Ok(self.model.types.intern(Type::Range { lo, hi }));
            }
            ast::TypeKind::Enum(members) => return self.enum_type(members, name),
            ast::TypeKind::Scalarset(size) => return self.scalarset_type(size, name),
            ast::TypeKind::Record(fields) => self.record_type(fields)?,
            ast::TypeKind::Array { index, element } => {
                let index_ty = self.finite_type(index, "the index of an array");
                let elem = self.type_expr(element, None)?;
                Type::Array { index: index_ty?, elem }
            }
            ast::TypeKind::Union(parts) => self.union_type(parts)?,
            ast::TypeKind::Multiset { size, element } => self.multiset_type(size, element)?,
            ast::TypeKind::Real { .. } => {
                let message = "`real` is not supported: states are exact, so numbers are integers";
                return Err(self.error(tree.span, message));
            }
        };
        let id = self.model.types.intern(id);
        if self.model.types.depth(id) > TYPE_DEPTH_MAX {
            let message = format!("types nest more than {TYPE_DEPTH_MAX} deep");
            return Err(self.error(tree.span, message));
        }
        if let Some(name) = name {
            self.model.types.set_name(id, name);
        }
        Ok(id)
    }

    fn named_type(&mut self, name: &ast::Name) -> Lower<TypeId> {
        match self.scopes.find(&name.text) {
            Some(&Symbol::Type(ty)) => Ok(ty),
            Some(Symbol::Broken) => Err(super::Reported),
            Some(_) => Err(self.error(name.span, format!("`{}` is not a type", name.text))),
            None => {
                let near = self.near(&name.text, |symbol| matches!(symbol, Symbol::Type(_)));
                let message = format!("there is no type `{}`", name.text);
                Err(self.report(Diagnostic::error(name.span, message).suggest(near.as_deref())))
            }
        }
    }

    /// A type whose values can be counted off: for indices, quantifiers and rulesets.
    pub(super) fn finite_type(&mut self, tree: &'a ast::TypeExpr, what: &str) -> Lower<TypeId> {
        let ty = self.type_expr(tree, None)?;
        if !self.model.types.is_simple(ty) {
            let message = format!("{what} must be a range, enum, scalarset or union, not {}", self.show(ty));
            return Err(self.error(tree.span, message));
        }
        Ok(ty)
    }

    fn enum_type(&mut self, members: &'a [ast::Name], name: Option<&str>) -> Lower<TypeId> {
        let values = members.iter().map(|member| member.text.clone()).collect();
        let ty = self.model.types.declare(Type::Enum { values }, name.map(str::to_string));
        for (value, member) in members.iter().enumerate() {
            self.declare(member, Symbol::Const { ty, value: value as i64 });
        }
        Ok(ty)
    }

    fn scalarset_type(&mut self, size: &'a ast::Expr, name: Option<&str>) -> Lower<TypeId> {
        let count = self.constant_int(size, "the size of a scalarset")?;
        if count < 1 {
            return Err(self.error(size.span, format!("a scalarset needs at least one value, not {count}")));
        }
        Ok(self.model.types.declare(Type::Scalarset { size: count }, name.map(str::to_string)))
    }

    fn record_type(&mut self, trees: &'a [ast::Field]) -> Lower<Type> {
        let mut fields: Vec<Field> = Vec::new();
        let mut names: HashSet<&str> = HashSet::new();
        let mut cells = 0u64;
        let mut failed = None;
        for tree in trees {
            let ty = match self.type_expr(&tree.ty, None) {
                Ok(ty) => ty,
                Err(reported) => {
                    failed = Some(reported);
                    continue;
                }
            };
            for name in &tree.names {
                if !names.insert(&name.text) {
                    let message = format!("the record has two fields `{}`", name.text);
                    failed = Some(self.error(name.span, message));
                    continue;
                }
                fields.push(Field { name: name.text.clone(), ty, offset: cells as u32 });
                cells = cells.saturating_add(self.model.types.cells(ty));
                if cells > u64::from(u32::MAX) {
                    return Err(self.error(tree.span, "the record is too large"));
                }
            }
        }
        failed.map_or(Ok(Type::Record { fields }), Err)
    }

    fn union_type(&mut self, parts: &'a [ast::TypeExpr]) -> Lower<Type> {
        self.model.cmurphi_only = true;
        let mut atoms: Vec<TypeId> = Vec::new();
        let mut seen: HashSet<TypeId> = HashSet::new();
        for part in parts {
            let ty = self.type_expr(part, None)?;
            if self.is_unbounded(ty) {
                return Err(self.error(part.span, "the range is too wide to be part of a union"));
            }
            let inner = match self.model.types.get(ty) {
                Type::Union { atoms } => atoms.clone(),
                Type::Enum { .. } | Type::Scalarset { .. } | Type::Range { .. } => vec![ty],
                _ => {
                    let message =
                        format!("a union of {} is not supported: its parts must be simple", self.show(ty));
                    return Err(self.error(part.span, message));
                }
            };
            atoms.extend(inner.into_iter().filter(|atom| seen.insert(*atom)));
        }
        Ok(Type::Union { atoms })
    }

    fn multiset_type(&mut self, size: &'a ast::Expr, element: &'a ast::TypeExpr) -> Lower<Type> {
        let capacity = self.constant_int(size, "the size of a multiset")?;
        if !(0..=CAPACITY_MAX).contains(&capacity) {
            let message =
                format!("a multiset may have room for 0 to {CAPACITY_MAX} elements, not {capacity}");
            return Err(self.error(size.span, message));
        }
        let elem = self.type_expr(element, None)?;
        self.model.cmurphi_only = true;
        Ok(Type::Multiset { capacity: capacity as u32, elem })
    }

    /// Refuses values too large to be held.
    pub(super) fn check_size(&mut self, ty: TypeId, span: Span) -> Lower<()> {
        let cells = self.model.types.cells(ty);
        if cells > SLOTS_MAX {
            let message = format!("{} has {cells} parts; at most {SLOTS_MAX} are supported", self.show(ty));
            return Err(self.error(span, message));
        }
        Ok(())
    }
}
