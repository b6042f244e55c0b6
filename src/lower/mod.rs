//! Syntax tree to typed IR: names, constants, types, rule instances.
//!
//! In: a parsed model, its source, and constants to override. Out: an `ir::Model` and warnings, or every
//! error found, each located. Invariant: a model that comes out is well typed, its state, frames and
//! instances are within the limits below, and evaluating it can end in a `Fault` but not in a panic.
//!
//! It terminates because it walks the tree once, in the order of the text: what a name means must stand
//! before its use, except that a subprogram may call itself. Recursion is no deeper than the tree, which
//! the parser bounds; expressions that come out nest at most `DEPTH_MAX` deep.

mod calls;
mod coerce;
mod consts;
mod decls;
mod exprs;
mod ops;
mod places;
mod properties;
mod purity;
mod quantifiers;
mod rules;
mod scope;
mod stmts;
mod types;

use crate::ir;
use crate::syntax::diagnostic::KEPT_MAX;
use crate::syntax::{Diagnostic, Diagnostics, Source, Span, ast, nearest};
use scope::{Scopes, Symbol};

/// How many slots a state may have.
pub const SLOTS_MAX: u64 = 1 << 20;
/// How many cells one frame may have.
pub const FRAME_CELLS_MAX: u64 = 1 << 20;
/// How many instances all rules, or all of one property, may have.
pub const INSTANCES_MAX: u64 = 1 << 22;
/// How deep expressions may nest; each operand of a sum or product is one level.
pub const DEPTH_MAX: u32 = 1_000;

/// Constants to use instead of the model's: name and value, the value an integer, `true`, `false`, or the
/// name of a constant or enum member declared before.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    pub overrides: Vec<(String, String)>,
}

impl Constants {
    pub fn none() -> Constants {
        Constants::default()
    }

    /// Adds `NAME=VALUE` as typed on a command line; the error says what is wrong with it.
    pub fn parse(&mut self, assignment: &str) -> Result<(), String> {
        let Some((name, value)) = assignment.split_once('=') else {
            return Err(format!("`{assignment}` is not of the form NAME=VALUE"));
        };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || value.is_empty() {
            return Err(format!("`{assignment}` is not of the form NAME=VALUE"));
        }
        self.overrides.push((name.to_string(), value.to_string()));
        Ok(())
    }
}

/// A model ready to run, and what should be said about it.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub model: ir::Model,
    pub warnings: Diagnostics,
}

/// An error that is already among the diagnostics.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Lower<T> = Result<T, Reported>;

/// The state of one walk.
struct Lowerer<'a> {
    source: &'a Source,
    model: ir::Model,
    diagnostics: Diagnostics,
    scopes: Scopes,
    overrides: Vec<(String, String, bool)>,
    /// The frame being laid out.
    frame: ir::Frame,
    /// What `return` must yield: none outside functions.
    returns: Option<ir::TypeId>,
    in_subprogram: bool,
    /// For each expression, how deep it nests.
    depths: Vec<u32>,
    /// For each subprogram, how many expressions there were when it was done.
    func_ends: Vec<usize>,
    /// Instances of all rules and properties so far.
    instances: u64,
    /// Rulesets with a promise so far.
    groups: u32,
    rules: rules::Surroundings,
}

pub fn lower(tree: &ast::Model, source: &Source, constants: &Constants) -> Result<Lowered, Diagnostics> {
    let mut lowerer = Lowerer {
        source,
        model: ir::Model { source: ir::SourceMap::new(source.name(), source.text()), ..ir::Model::default() },
        diagnostics: Diagnostics::default(),
        scopes: Scopes::default(),
        overrides: constants.overrides.iter().map(|(n, v)| (n.clone(), v.clone(), false)).collect(),
        frame: ir::Frame::default(),
        returns: None,
        in_subprogram: false,
        depths: Vec::new(),
        func_ends: Vec::new(),
        instances: 0,
        groups: 0,
        rules: rules::Surroundings::default(),
    };
    lowerer.model(tree);
    lowerer.finish(tree)
}

impl<'a> Lowerer<'a> {
    fn model(&mut self, tree: &'a ast::Model) {
        for item in &tree.items {
            let _ = match item {
                ast::Item::Decl(decl) => self.global_decl(decl),
                ast::Item::Subprogram(subprogram) => self.subprogram(subprogram),
                ast::Item::Rule(rule) => self.rule(rule),
            };
        }
        self.check_overrides();
        if self.model.starts.is_empty() && !self.diagnostics.has_errors() {
            let last = tree.items.last().map_or(tree.span, item_span);
            let message = "the model has no start state: no state is reachable";
            self.warn(Diagnostic::warning(Span::new(last.start, last.start), message));
        }
    }

    fn finish(mut self, _tree: &ast::Model) -> Result<Lowered, Diagnostics> {
        self.find_purity();
        self.diagnostics.sort();
        if self.diagnostics.has_errors() {
            return Err(self.diagnostics);
        }
        Ok(Lowered { model: self.model, warnings: self.diagnostics })
    }

    /// Notes an error and hands out the proof that it was noted.
    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.diagnostics.push(Diagnostic::error(span, message));
        Reported
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// The nearest of the names in scope, while anybody still looks: beyond what is shown, it is not sought.
    fn near(&self, name: &str, wanted: impl Fn(&Symbol) -> bool) -> Option<String> {
        if self.diagnostics.error_count() >= KEPT_MAX {
            return None;
        }
        nearest(name, self.scopes.names(wanted)).map(str::to_string)
    }

    fn warn(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Puts an expression in the arena; one that nests too deep is an error, which the walk survives.
    fn expr(&mut self, kind: ir::ExprKind, ty: ir::TypeId, span: Span) -> ir::ExprId {
        let below = kind.children().iter().map(|child| self.depths[child.0 as usize]).max().unwrap_or(0);
        if below == DEPTH_MAX {
            let message =
                format!("the expression nests more than {DEPTH_MAX} deep; put parts in parentheses");
            self.error(span, message);
        }
        self.depths.push(below + 1);
        let id = ir::ExprId(self.model.exprs.len() as u32);
        self.model.exprs.push(ir::Expr { kind, ty, span: at(span) });
        id
    }

    fn type_of(&self, expr: ir::ExprId) -> ir::TypeId {
        self.model.expr(expr).ty
    }

    /// The value of an expression that is constant.
    fn constant(&self, expr: ir::ExprId) -> Option<i64> {
        match self.model.expr(expr).kind {
            ir::ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A type as it is named in messages.
    fn show(&self, ty: ir::TypeId) -> String {
        self.model.types.describe(ty)
    }
}

/// The same place, in the IR's terms.
fn at(span: Span) -> ir::Span {
    ir::Span { start: span.start, end: span.end }
}

fn item_span(item: &ast::Item) -> Span {
    match item {
        ast::Item::Decl(decl) => decl.span,
        ast::Item::Subprogram(subprogram) => subprogram.span,
        ast::Item::Rule(rule) => rule.span,
    }
}
