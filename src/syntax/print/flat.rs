//! Expressions, designators, quantifiers and types on one line, or not at all if they are too long.

use crate::syntax::ast::{
    Designator, Domain, Expr, ExprKind, Level, Name, Quantifier, Selector, TypeExpr, TypeKind, UnOp,
};

/// Text that may not grow beyond a limit; `None` says it would have.
pub(super) struct Flat {
    out: String,
    limit: usize,
}

/// What `write` puts on one line, if it fits.
pub(super) fn within(limit: usize, write: impl FnOnce(&mut Flat) -> Option<()>) -> Option<String> {
    let mut flat = Flat { out: String::new(), limit };
    write(&mut flat)?;
    (flat.out.chars().count() <= limit).then_some(flat.out)
}

/// What `write` puts on one line, however long.
pub(super) fn unbounded(write: impl FnOnce(&mut Flat) -> Option<()>) -> String {
    within(usize::MAX, write).unwrap_or_default()
}

/// The level of an expression's outermost operator.
pub(super) fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Conditional { .. } => Level::Conditional,
        ExprKind::Binary { op, .. } => op.level(),
        ExprKind::Chain { first, rest } => rest.first().map_or_else(|| level(first), |link| link.op.level()),
        ExprKind::Unary { op, .. } => op.level(),
        _ => Level::Atom,
    }
}

/// The least level that the operand of a unary operator may have without parentheses. Two signs in a row
/// are kept apart: `--` would begin a comment.
pub(super) fn operand_level(op: UnOp, operand: &Expr) -> Level {
    let sign = |op| matches!(op, UnOp::Minus | UnOp::Plus);
    match operand.kind {
        ExprKind::Unary { op: inner, .. } if sign(op) && sign(inner) => Level::Atom,
        _ => op.level(),
    }
}

impl Flat {
    pub(super) fn push(&mut self, text: &str) -> Option<()> {
        self.out.push_str(text);
        // Four bytes a character at most, so this never cuts off what would have fitted.
        (self.out.len() / 4 <= self.limit).then_some(())
    }

    fn separated<T>(
        &mut self,
        parts: &[T],
        separator: &str,
        mut write: impl FnMut(&mut Flat, &T) -> Option<()>,
    ) -> Option<()> {
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.push(separator)?;
            }
            write(self, part)?;
        }
        Some(())
    }

    pub(super) fn names(&mut self, names: &[Name]) -> Option<()> {
        self.separated(names, ", ", |flat, name| flat.push(&name.text))
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) -> Option<()> {
        self.separated(exprs, ", ", |flat, expr| flat.expr(expr, Level::Conditional))
    }

    /// An expression where only operators of at least this level may stand without parentheses.
    pub(super) fn expr(&mut self, expr: &Expr, least: Level) -> Option<()> {
        if level(expr) >= least {
            return self.bare(expr);
        }
        self.push("(")?;
        self.bare(expr)?;
        self.push(")")
    }

    fn bare(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Int { value, hex: true } => self.push(&format!("{value:#x}")),
            ExprKind::Int { value, hex: false } => self.push(&value.to_string()),
            ExprKind::Real(text) => self.push(text),
            ExprKind::Bool(value) => self.push(if *value { "true" } else { "false" }),
            ExprKind::Undefined(name) => self.push(&name.text),
            ExprKind::Designator(designator) => self.designator(designator),
            ExprKind::Call { name, args } => {
                self.push(&name.text)?;
                self.push("(")?;
                self.exprs(args)?;
                self.push(")")
            }
            ExprKind::Unary { op, operand } => {
                self.push(op.symbol())?;
                self.expr(operand, operand_level(*op, operand))
            }
            ExprKind::Binary { op, left, right } => {
                self.expr(left, op.level().tighter())?;
                self.push(&format!(" {} ", op.symbol()))?;
                self.expr(right, op.level().tighter())
            }
            ExprKind::Chain { first, rest } => {
                self.expr(first, level(expr))?;
                for link in rest {
                    self.push(&format!(" {} ", link.op.symbol()))?;
                    self.expr(&link.operand, link.op.level().tighter())?;
                }
                Some(())
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(condition, Level::Implies)?;
                self.push(" ? ")?;
                self.expr(then, Level::Implies)?;
                self.push(" : ")?;
                self.expr(otherwise, Level::Implies)
            }
            _ => self.worded(expr),
        }
    }

    fn worded(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Quantified { all, quantifiers, body } => {
                self.push(if *all { "forall " } else { "exists " })?;
                self.quantifiers(quantifiers)?;
                self.push(" do ")?;
                self.expr(body, Level::Conditional)?;
                self.push(" end")
            }
            ExprKind::IsUndefined(designator) => {
                self.push("isundefined(")?;
                self.designator(designator)?;
                self.push(")")
            }
            ExprKind::IsMember { value, ty } => {
                self.push("ismember(")?;
                self.expr(value, Level::Conditional)?;
                self.push(", ")?;
                self.ty(ty)?;
                self.push(")")
            }
            ExprKind::MultisetCount { index, multiset, predicate } => {
                self.push("multisetcount(")?;
                self.push(&index.text)?;
                self.push(" : ")?;
                self.designator(multiset)?;
                self.push(", ")?;
                self.expr(predicate, Level::Conditional)?;
                self.push(")")
            }
            _ => Some(()),
        }
    }

    pub(super) fn designator(&mut self, designator: &Designator) -> Option<()> {
        self.push(&designator.base.text)?;
        for selector in &designator.selectors {
            match selector {
                Selector::Field(name) => {
                    self.push(".")?;
                    self.push(&name.text)?;
                }
                Selector::Index(index) => {
                    self.push("[")?;
                    self.expr(index, Level::Conditional)?;
                    self.push("]")?;
                }
            }
        }
        Some(())
    }

    pub(super) fn quantifiers(&mut self, quantifiers: &[Quantifier]) -> Option<()> {
        self.separated(quantifiers, "; ", |flat, quantifier| {
            flat.push(&quantifier.name.text)?;
            match &quantifier.domain {
                Domain::Type(ty) => {
                    flat.push(" : ")?;
                    flat.ty(ty)
                }
                Domain::Range { from, to, by } => {
                    flat.push(" := ")?;
                    flat.expr(from, Level::Conditional)?;
                    flat.push(" to ")?;
                    flat.expr(to, Level::Conditional)?;
                    let Some(by) = by else { return Some(()) };
                    flat.push(" by ")?;
                    flat.expr(by, Level::Conditional)
                }
            }
        })
    }

    pub(super) fn ty(&mut self, ty: &TypeExpr) -> Option<()> {
        match &ty.kind {
            TypeKind::Boolean => self.push("boolean"),
            TypeKind::Named(name) => self.push(&name.text),
            TypeKind::Range(from, to) => {
                self.expr(from, Level::Conditional)?;
                self.push("..")?;
                self.expr(to, Level::Conditional)
            }
            TypeKind::Enum(members) => {
                self.push("enum { ")?;
                self.names(members)?;
                self.push(" }")
            }
            TypeKind::Record(fields) => {
                self.push("record ")?;
                for field in fields {
                    self.names(&field.names)?;
                    self.push(" : ")?;
                    self.ty(&field.ty)?;
                    self.push("; ")?;
                }
                self.push("end")
            }
            TypeKind::Union(members) => {
                self.push("union { ")?;
                self.separated(members, ", ", Flat::ty)?;
                self.push(" }")
            }
            TypeKind::Scalarset(size) => {
                self.push("scalarset(")?;
                self.expr(size, Level::Conditional)?;
                self.push(")")
            }
            TypeKind::Array { .. } | TypeKind::Multiset { .. } | TypeKind::Real { .. } => self.sized_type(ty),
        }
    }

    fn sized_type(&mut self, ty: &TypeExpr) -> Option<()> {
        match &ty.kind {
            TypeKind::Array { element, .. } | TypeKind::Multiset { element, .. } => {
                self.container_head(ty)?;
                self.ty(element)
            }
            TypeKind::Real { mantissa, exponent } => {
                self.push("real(")?;
                self.expr(mantissa, Level::Conditional)?;
                self.push(", ")?;
                self.expr(exponent, Level::Conditional)?;
                self.push(")")
            }
            _ => Some(()),
        }
    }

    /// `array [I] of ` or `multiset [N] of `.
    pub(super) fn container_head(&mut self, ty: &TypeExpr) -> Option<()> {
        match &ty.kind {
            TypeKind::Array { index, .. } => {
                self.push("array [")?;
                self.ty(index)?;
            }
            TypeKind::Multiset { size, .. } => {
                self.push("multiset [")?;
                self.expr(size, Level::Conditional)?;
            }
            _ => return Some(()),
        }
        self.push("] of ")
    }
}
