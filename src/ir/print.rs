//! The IR as text, for people: `verify print --stage ir`.
//!
//! Places and locals are shown by name, as they could be written. The text is not read back. Recursion is
//! as deep as expressions nest, which lowering bounds.

use super::expr::{
    Alias, Arg, ArithOp, Base, Block, CompareOp, Domain, ExprId, ExprKind, Place, Stmt, StmtKind,
};
use super::model::{Binder, Fairness, Frame, LocalVar, Model, ParamDomain, Passing, PropertyKind, Rule};
use super::types::{Type, TypeId};
use crate::base::hash;
use std::fmt::Write;

/// The whole model.
pub fn print(model: &Model) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "-- {} slots, {} rules, {} instances",
        model.slots.len(),
        model.rules.len(),
        count(model)
    );
    for (name, value) in &model.constants {
        let _ = writeln!(out, "const {name}: {value};");
    }
    for var in &model.vars {
        let (first, cells) = (u64::from(var.first.0), model.types.cells(var.ty));
        let slots = match cells {
            0 => "no slots".to_string(),
            1 => format!("slot {first}"),
            _ => format!("slots {first} to {}", first + cells - 1),
        };
        let _ = writeln!(out, "var {}: {}; -- {slots}", var.name, model.types.describe(var.ty));
    }
    for func in &model.funcs {
        let printer = Printer { model, frame: &func.frame };
        let params: Vec<String> = func
            .params
            .iter()
            .map(|p| {
                let word = if p.passing == Passing::Ref { "var " } else { "" };
                format!("{word}{}: {}", p.name, model.types.describe(p.ty))
            })
            .collect();
        let returns = func.returns.map_or(String::new(), |ty| format!(": {}", model.types.describe(ty)));
        let purity = if func.pure { " -- pure" } else { "" };
        let _ = writeln!(out, "\nfunction {}({}){returns}{purity}", func.name, params.join("; "));
        printer.block(&mut out, &func.body, 1);
    }
    for rule in model.starts.iter().chain(&model.rules) {
        print_rule(&mut out, model, rule);
    }
    print_properties(&mut out, model);
    out
}

/// A hash of the model as it is printed: the same for texts that differ in layout and comments alone.
pub fn digest(model: &Model) -> String {
    format!("{:032x}", hash::stable(print(model).as_bytes()))
}

fn count(model: &Model) -> u64 {
    model.rules.iter().map(|rule| model.instances(rule)).fold(0, u64::saturating_add)
}

fn print_rule(out: &mut String, model: &Model, rule: &Rule) {
    let printer = Printer { model, frame: &rule.frame };
    let word = if rule.kind == super::model::RuleKind::Start { "startstate" } else { "rule" };
    let _ = write!(out, "\n{word} {:?}", rule.name);
    if rule.priority != 0 {
        let _ = write!(out, " priority {}", rule.priority);
    }
    match rule.fairness {
        Fairness::None => {}
        Fairness::Weak => out.push_str(" fair"),
        Fairness::Strong => out.push_str(" strong fair"),
    }
    for group in &rule.groups {
        let _ = write!(
            out,
            " action {} of {:?} fairness after {} binders",
            group.group, group.fairness, group.depth
        );
    }
    if rule.unhelpful {
        out.push_str(" unhelpful");
    }
    if let Some(component) = &rule.component {
        let _ = write!(out, " of process {:?}", component.process);
    }
    out.push('\n');
    for binder in &rule.binders {
        let _ = writeln!(out, "  for {}", printer.binder(binder));
    }
    if let Some(guard) = rule.guard {
        let _ = writeln!(out, "  when {}", printer.expr(guard));
    }
    printer.block(out, &rule.body, 1);
}

fn print_properties(out: &mut String, model: &Model) {
    for property in &model.properties {
        let printer = Printer { model, frame: &property.frame };
        let word = match property.kind {
            PropertyKind::Invariant => "invariant",
            PropertyKind::Assume => "assume",
            PropertyKind::Cover => "cover",
            _ => "liveness",
        };
        let _ = writeln!(out, "\n{word} {:?}", property.name);
        for binder in &property.binders {
            let _ = writeln!(out, "  for {}", printer.binder(binder));
        }
        let target = match (property.kind, property.target) {
            (PropertyKind::CanGetTo, Some(target)) => format!(" cangetto {}", printer.expr(target)),
            (_, Some(target)) => format!(" leadsto {}", printer.expr(target)),
            _ => String::new(),
        };
        let _ = writeln!(out, "  {}{target}", printer.expr(property.claim));
    }
    for fairness in &model.fairness {
        let printer = Printer { model, frame: &fairness.frame };
        let premise =
            fairness.premise.map_or(String::new(), |premise| format!("{} -> ", printer.expr(premise)));
        let _ = writeln!(out, "\nfair {:?}\n  {premise}{}", fairness.name, printer.expr(fairness.conclusion));
    }
}

/// Prints with the local names of one frame.
pub struct Printer<'m> {
    pub model: &'m Model,
    pub frame: &'m Frame,
}

impl Printer<'_> {
    fn local_var(&self, cell: u32) -> Option<&LocalVar> {
        let covers = |var: &&LocalVar| {
            let cells = if var.reference { 1 } else { self.model.types.cells(var.ty) as u32 };
            var.local.0 <= cell && cell - var.local.0 < cells.max(1)
        };
        self.frame.locals.iter().find(covers)
    }

    fn local(&self, cell: u32) -> String {
        self.local_var(cell).map_or_else(|| format!("local {cell}"), |var| var.name.clone())
    }

    /// A place as it could be written: `Cache[i].State`.
    pub fn place(&self, place: &Place) -> String {
        let (name, ty, offset) = match place.base {
            Base::State => {
                let after = self.model.vars.partition_point(|var| var.first.0 <= place.offset);
                match after.checked_sub(1).map(|at| &self.model.vars[at]) {
                    Some(var) => (var.name.clone(), var.ty, place.offset - var.first.0),
                    None => return format!("slot {}", place.offset),
                }
            }
            Base::Frame => match self.local_var(place.offset) {
                Some(var) => (var.name.clone(), var.ty, place.offset - var.local.0),
                None => return format!("local {}", place.offset),
            },
            Base::Ref(local) => match self.local_var(local.0) {
                Some(var) => (var.name.clone(), var.ty, place.offset),
                None => return format!("reference {}", local.0),
            },
        };
        self.path(name, ty, u64::from(offset), place)
    }

    fn path(&self, mut text: String, mut ty: TypeId, mut offset: u64, place: &Place) -> String {
        let types = &self.model.types;
        let mut indices = place.indices.iter().peekable();
        while ty != place.ty || offset != 0 || indices.peek().is_some() {
            match types.get(ty) {
                Type::Record { fields } => {
                    let after =
                        |f: &&super::types::Field| u64::from(f.offset) <= offset && types.cells(f.ty) > 0;
                    let Some(field) = fields.iter().rev().find(after) else { break };
                    let _ = write!(text, ".{}", field.name);
                    (ty, offset) = (field.ty, offset - u64::from(field.offset));
                }
                Type::Array { index, elem } => {
                    let stride = types.cells(*elem);
                    match indices.next_if(|next| next.ty == *index && u64::from(next.stride) == stride) {
                        Some(next) => text.push_str(&format!("[{}]", self.expr(next.expr))),
                        None => {
                            let value = types.first(*index).wrapping_add_unsigned(offset / stride.max(1));
                            let _ = write!(text, "[{}]", types.value_name(*index, value));
                            offset %= stride.max(1);
                        }
                    }
                    ty = *elem;
                }
                Type::Multiset { elem, .. } => {
                    let Some(next) = indices.next() else { break };
                    let _ = write!(text, "[{}]", self.expr(next.expr));
                    (ty, offset) = (*elem, offset.saturating_sub(1));
                }
                _ => break,
            }
        }
        text
    }

    fn binder(&self, binder: &Binder) -> String {
        match binder {
            Binder::Param { name, domain: ParamDomain::Type(ty), .. } => {
                format!("{name}: {}", self.model.types.describe(*ty))
            }
            Binder::Param { name, domain: ParamDomain::Steps { first, step, count, .. }, .. } => {
                format!("{name} := {first} by {step}, {count} times")
            }
            Binder::Choose { name, set, capacity, .. } => {
                format!("{name} in {} ({capacity} places)", self.place(set))
            }
            Binder::AliasPlace { name, place, .. } => format!("{name} at {}", self.place(place)),
            Binder::AliasValue { name, value, .. } => format!("{name} = {}", self.expr(*value)),
        }
    }

    fn domain(&self, domain: &Domain) -> String {
        match domain {
            Domain::Type(ty) => format!(": {}", self.model.types.describe(*ty)),
            Domain::Steps { from, to, by } => {
                let by = by.map_or(String::new(), |by| format!(" by {}", self.expr(by)));
                format!(" := {} to {}{by}", self.expr(*from), self.expr(*to))
            }
        }
    }

    fn joined(&self, terms: &[ExprId], symbol: &str) -> String {
        let parts: Vec<String> = terms.iter().map(|&term| self.expr(term)).collect();
        format!("({})", parts.join(&format!(" {symbol} ")))
    }

    pub fn expr(&self, id: ExprId) -> String {
        let expr = self.model.expr(id);
        let types = &self.model.types;
        match &expr.kind {
            ExprKind::Const(value) => types.value_name(expr.ty, *value),
            ExprKind::Undefined => "undefined".to_string(),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Not(a) => format!("!{}", self.expr(*a)),
            ExprKind::And(terms) => self.joined(terms, "&"),
            ExprKind::Or(terms) => self.joined(terms, "|"),
            ExprKind::Implies(a, b) => self.joined(&[*a, *b], "->"),
            ExprKind::Conditional { condition, then, otherwise } => {
                format!("({} ? {} : {})", self.expr(*condition), self.expr(*then), self.expr(*otherwise))
            }
            ExprKind::Equal(a, b) => self.joined(&[*a, *b], "="),
            ExprKind::NotEqual(a, b) => self.joined(&[*a, *b], "!="),
            ExprKind::Compare(op, a, b) => self.joined(&[*a, *b], compare_symbol(*op)),
            ExprKind::Arith(op, a, b) => self.joined(&[*a, *b], arith_symbol(*op)),
            ExprKind::Negate(a) => format!("-{}", self.expr(*a)),
            ExprKind::BitNot(a) => format!("~{}", self.expr(*a)),
            ExprKind::Convert(a) => format!("{} as {}", self.expr(*a), types.describe(expr.ty)),
            ExprKind::IsMember { value, ty } => {
                format!("ismember({}, {})", self.expr(*value), types.describe(*ty))
            }
            ExprKind::IsUndefined(place) => format!("isundefined({})", self.place(place)),
            ExprKind::Quantified { all, local, domain, body } => {
                let word = if *all { "forall" } else { "exists" };
                format!("{word} {}{} do {} end", self.local(local.0), self.domain(domain), self.expr(*body))
            }
            ExprKind::MultisetCount { local, set, predicate } => {
                format!(
                    "multisetcount({}: {}, {})",
                    self.local(local.0),
                    self.place(set),
                    self.expr(*predicate)
                )
            }
            ExprKind::Call { func, args } => self.call(func.0, args),
        }
    }

    fn call(&self, func: u32, args: &[Arg]) -> String {
        let parts: Vec<String> = args
            .iter()
            .map(|arg| match arg {
                Arg::Value(expr) => self.expr(*expr),
                Arg::Ref(place) => format!("var {}", self.place(place)),
            })
            .collect();
        format!("{}({})", self.model.funcs[func as usize].name, parts.join(", "))
    }

    pub fn block(&self, out: &mut String, block: &Block, depth: usize) {
        for stmt in block {
            self.stmt(out, stmt, depth);
        }
    }

    fn stmt(&self, out: &mut String, stmt: &Stmt, depth: usize) {
        let pad = "  ".repeat(depth);
        let (head, parts): (String, Vec<(String, &Block)>) = match &stmt.kind {
            StmtKind::If { branches, otherwise } => {
                let mut parts: Vec<(String, &Block)> = Vec::new();
                for (at, (test, body)) in branches.iter().enumerate() {
                    let word = if at == 0 { "if" } else { "elsif" };
                    parts.push((format!("{word} {} then", self.expr(*test)), body));
                }
                if !otherwise.is_empty() {
                    parts.push(("else".to_string(), otherwise));
                }
                (String::new(), parts)
            }
            StmtKind::Switch { subject, cases, otherwise } => {
                let mut parts: Vec<(String, &Block)> = Vec::new();
                for (values, body) in cases {
                    let shown: Vec<String> = values.iter().map(|&value| self.expr(value)).collect();
                    parts.push((format!("case {}:", shown.join(", ")), body));
                }
                parts.push(("else".to_string(), otherwise));
                (format!("switch {}", self.expr(*subject)), parts)
            }
            StmtKind::For { local, domain, body } => (
                String::new(),
                vec![(format!("for {}{} do", self.local(local.0), self.domain(domain)), body)],
            ),
            StmtKind::While { condition, body } => {
                (String::new(), vec![(format!("while {} do", self.expr(*condition)), body)])
            }
            StmtKind::Alias { local, target, body } => {
                let target = match target {
                    Alias::Place(place) => format!("at {}", self.place(place)),
                    Alias::Value(value) => format!("= {}", self.expr(*value)),
                };
                (String::new(), vec![(format!("alias {} {target} do", self.local(local.0)), body)])
            }
            simple => {
                let _ = writeln!(out, "{pad}{};", self.simple(simple));
                return;
            }
        };
        if !head.is_empty() {
            let _ = writeln!(out, "{pad}{head}");
        }
        for (word, body) in parts {
            let _ = writeln!(out, "{pad}{word}");
            self.block(out, body, depth + 1);
        }
        let _ = writeln!(out, "{pad}end;");
    }

    fn simple(&self, kind: &StmtKind) -> String {
        match kind {
            StmtKind::Assign { to, from } => format!("{} := {}", self.place(to), self.expr(*from)),
            StmtKind::Clear(place) => format!("clear {}", self.place(place)),
            StmtKind::Undefine(place) => format!("undefine {}", self.place(place)),
            StmtKind::PutText(text) => format!("put {text:?}"),
            StmtKind::PutExpr(expr) => format!("put {}", self.expr(*expr)),
            StmtKind::Error(message) => format!("error {message:?}"),
            StmtKind::Assert { condition, message } => {
                format!("assert {} {message:?}", self.expr(*condition))
            }
            StmtKind::Assume { condition } => format!("assume {}", self.expr(*condition)),
            StmtKind::Cover { condition, .. } => format!("cover {}", self.expr(*condition)),
            StmtKind::Return(None) => "return".to_string(),
            StmtKind::Return(Some(expr)) => format!("return {}", self.expr(*expr)),
            StmtKind::Call { func, args } => self.call(func.0, args),
            StmtKind::MultisetAdd { element, set } => {
                format!("multisetadd({}, {})", self.expr(*element), self.place(set))
            }
            StmtKind::MultisetRemove { position, set } => {
                format!("multisetremove({}, {})", self.expr(*position), self.place(set))
            }
            StmtKind::MultisetRemovePred { local, set, predicate } => format!(
                "multisetremovepred({}: {}, {})",
                self.local(local.0),
                self.place(set),
                self.expr(*predicate)
            ),
            _ => String::new(),
        }
    }
}

fn compare_symbol(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Less => "<",
        CompareOp::LessEq => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterEq => ">=",
    }
}

fn arith_symbol(op: ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "+",
        ArithOp::Sub => "-",
        ArithOp::Mul => "*",
        ArithOp::Div => "/",
        ArithOp::Mod => "%",
        ArithOp::BitAnd => "&",
        ArithOp::BitOr => "|",
        ArithOp::BitXor => "^",
        ArithOp::ShiftLeft => "<<",
        ArithOp::ShiftRight => ">>",
    }
}
