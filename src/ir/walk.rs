//! The parts of expressions and statements, for passes that visit all of them.

use super::expr::{Alias, Arg, Block, Domain, ExprId, ExprKind, Place, Stmt, StmtKind};

impl Place {
    pub fn exprs(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.indices.iter().map(|index| index.expr)
    }
}

impl Domain {
    pub fn exprs(&self) -> Vec<ExprId> {
        match self {
            Domain::Type(_) => Vec::new(),
            Domain::Steps { from, to, by } => [Some(*from), Some(*to), *by].into_iter().flatten().collect(),
        }
    }
}

/// The expressions in the arguments of a call.
pub fn arg_exprs(args: &[Arg]) -> Vec<ExprId> {
    let parts = |arg: &Arg| match arg {
        Arg::Value(expr) => vec![*expr],
        Arg::Ref(place) => place.exprs().collect(),
    };
    args.iter().flat_map(parts).collect()
}

impl ExprKind {
    /// The expressions this one is made of, in the order they are evaluated.
    pub fn children(&self) -> Vec<ExprId> {
        match self {
            ExprKind::Const(_) | ExprKind::Undefined => Vec::new(),
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => place.exprs().collect(),
            ExprKind::Not(a) | ExprKind::Negate(a) | ExprKind::BitNot(a) | ExprKind::Convert(a) => vec![*a],
            ExprKind::IsMember { value, .. } => vec![*value],
            ExprKind::And(terms) | ExprKind::Or(terms) => terms.clone(),
            ExprKind::Implies(a, b)
            | ExprKind::Equal(a, b)
            | ExprKind::NotEqual(a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Arith(_, a, b) => vec![*a, *b],
            ExprKind::Conditional { condition, then, otherwise } => vec![*condition, *then, *otherwise],
            ExprKind::Quantified { domain, body, .. } => {
                let mut all = domain.exprs();
                all.push(*body);
                all
            }
            ExprKind::MultisetCount { set, predicate, .. } => set.exprs().chain([*predicate]).collect(),
            ExprKind::Call { args, .. } => arg_exprs(args),
        }
    }
}

impl Stmt {
    /// The expressions that stand in the statement itself, not in its blocks.
    pub fn exprs(&self) -> Vec<ExprId> {
        match &self.kind {
            StmtKind::Assign { to, from } => [*from].into_iter().chain(to.exprs()).collect(),
            StmtKind::If { branches, .. } => branches.iter().map(|(condition, _)| *condition).collect(),
            StmtKind::Switch { subject, cases, .. } => {
                let values = cases.iter().flat_map(|(values, _)| values.iter().copied());
                [*subject].into_iter().chain(values).collect()
            }
            StmtKind::For { domain, .. } => domain.exprs(),
            StmtKind::While { condition, .. } => vec![*condition],
            StmtKind::Alias { target: Alias::Place(place), .. } => place.exprs().collect(),
            StmtKind::Alias { target: Alias::Value(value), .. } => vec![*value],
            StmtKind::Clear(place) | StmtKind::Undefine(place) => place.exprs().collect(),
            StmtKind::PutExpr(expr) | StmtKind::Return(Some(expr)) => vec![*expr],
            StmtKind::Assert { condition, .. } | StmtKind::Assume { condition } => vec![*condition],
            StmtKind::Cover { condition, .. } => vec![*condition],
            StmtKind::Call { args, .. } => arg_exprs(args),
            StmtKind::MultisetAdd { element, set } => [*element].into_iter().chain(set.exprs()).collect(),
            StmtKind::MultisetRemove { position, set } => {
                [*position].into_iter().chain(set.exprs()).collect()
            }
            StmtKind::MultisetRemovePred { set, predicate, .. } => set.exprs().chain([*predicate]).collect(),
            StmtKind::PutText(_) | StmtKind::Error(_) | StmtKind::Return(None) => Vec::new(),
        }
    }

    /// The blocks inside the statement.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If { branches, otherwise } => {
                branches.iter().map(|(_, body)| body).chain([otherwise]).collect()
            }
            StmtKind::Switch { cases, otherwise, .. } => {
                cases.iter().map(|(_, body)| body).chain([otherwise]).collect()
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Alias { body, .. } => {
                vec![body]
            }
            _ => Vec::new(),
        }
    }

    /// The places the statement itself stores to, or hands to a callee that may.
    pub fn stores(&self) -> Vec<&Place> {
        match &self.kind {
            StmtKind::Assign { to: place, .. } | StmtKind::Clear(place) | StmtKind::Undefine(place) => {
                vec![place]
            }
            StmtKind::MultisetAdd { set, .. }
            | StmtKind::MultisetRemove { set, .. }
            | StmtKind::MultisetRemovePred { set, .. } => vec![set],
            StmtKind::Call { args, .. } => ref_args(args),
            _ => Vec::new(),
        }
    }
}

/// The places handed over by reference.
pub fn ref_args(args: &[Arg]) -> Vec<&Place> {
    let mut places = Vec::new();
    for arg in args {
        if let Arg::Ref(place) = arg {
            places.push(place);
        }
    }
    places
}
