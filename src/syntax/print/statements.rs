//! Statements and the bodies of rules and subprograms.

use super::flat::unbounded;
use super::{Printer, STEP};
use crate::syntax::ast::{
    Alias, Branch, Case, Claim, Decl, Designator, Expr, Property, PropertyWord, Quantifier, Stmt, StmtKind,
    Text,
};

/// Where the first of some statements begins, or else where their block ends.
fn first_start(stmts: &[Stmt], end: u32) -> u32 {
    stmts.first().map_or(end, |stmt| stmt.span.start)
}

fn designator_text(designator: &Designator) -> String {
    unbounded(|flat| flat.designator(designator))
}

pub(super) fn quoted(text: &Text) -> String {
    format!("\"{}\"", text.raw)
}

impl Printer<'_> {
    /// Local declarations, `begin`, statements, `end;`: what follows the head that ended at `head_end`.
    pub(super) fn body(&mut self, head_end: u32, end: u32, decls: &[Decl], body: &[Stmt]) {
        let first = first_start(body, end);
        self.trailing_head(head_end, decls.first().map_or(first, |decl| decl.span.start));
        self.fresh = true;
        self.decls(decls.iter(), false);
        self.line("begin");
        self.indented(|printer| printer.stmts(body));
        self.close(end);
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
            self.trailing(stmt.span.end);
        }
    }

    /// The comments left in a block, and its `end;`.
    pub(super) fn close(&mut self, end: u32) {
        self.indent += STEP;
        self.comments_before(end);
        self.indent -= STEP;
        self.line("end;");
        self.trailing(end);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::If { branches, otherwise } => self.if_stmt(stmt, branches, otherwise.as_deref()),
            StmtKind::Switch { subject, cases, otherwise } => {
                self.switch_stmt(stmt, subject, cases, otherwise.as_deref());
            }
            StmtKind::For { quantifiers, body } => {
                let head_end = quantifiers.last().map_or(span.start, |last| last.span.end);
                self.leading(span.start, head_end);
                self.line(&format!("for {} do", quantifiers_text(quantifiers)));
                self.loop_body(head_end, span.end, body);
            }
            StmtKind::While { condition, body } => {
                self.leading(span.start, self.solid_end(condition, condition.span.end));
                self.headed("while ", condition, " do");
                self.loop_body(condition.span.end, span.end, body);
            }
            StmtKind::Alias { aliases, body } => {
                let first = first_start(body, span.end);
                self.alias_head(span.start, aliases, first);
                self.indented(|printer| printer.stmts(body));
                self.close(span.end);
            }
            _ => {
                self.leading(span.start, self.stmt_solid_end(stmt));
                self.simple_stmt(stmt);
            }
        }
    }

    fn loop_body(&mut self, head_end: u32, end: u32, body: &[Stmt]) {
        self.trailing_head(head_end, first_start(body, end));
        self.indented(|printer| printer.stmts(body));
        self.close(end);
    }

    fn if_stmt(&mut self, stmt: &Stmt, branches: &[Branch], otherwise: Option<&[Stmt]>) {
        for (at, branch) in branches.iter().enumerate() {
            let head_end = branch.condition.span.end;
            if at == 0 {
                self.leading(stmt.span.start, self.solid_end(&branch.condition, head_end));
            } else {
                self.indent += STEP;
                self.comments_before(self.solid_end(&branch.condition, head_end));
                self.indent -= STEP;
            }
            self.headed(if at == 0 { "if " } else { "elsif " }, &branch.condition, " then");
            let next = self.code_after(branch.span.end);
            self.trailing_head(head_end, first_start(&branch.body, next));
            self.indented(|printer| printer.stmts(&branch.body));
        }
        let before = branches.last().map_or(stmt.span.start, |branch| branch.span.end);
        self.otherwise(before, stmt.span.end, otherwise);
        self.close(stmt.span.end);
    }

    /// The `else` of an `if` or a `switch`, which begins behind `before`.
    fn otherwise(&mut self, before: u32, end: u32, otherwise: Option<&[Stmt]>) {
        let Some(body) = otherwise else { return };
        let word = self.code_after(before);
        self.indent += STEP;
        self.comments_before(word);
        self.indent -= STEP;
        self.line("else");
        self.trailing_head(word, first_start(body, end));
        self.indented(|printer| printer.stmts(body));
    }

    fn switch_stmt(&mut self, stmt: &Stmt, subject: &Expr, cases: &[Case], otherwise: Option<&[Stmt]>) {
        self.leading(stmt.span.start, subject.span.end);
        self.headed("switch ", subject, "");
        self.trailing_head(subject.span.end, cases.first().map_or(stmt.span.end, |case| case.span.start));
        self.fresh = true;
        for case in cases {
            let head_end = case.values.last().map_or(case.span.start, |value| value.span.end);
            self.leading(case.span.start, head_end);
            self.line(&format!("case {}:", unbounded(|flat| flat.exprs(&case.values))));
            let next = self.code_after(case.span.end);
            self.trailing_head(head_end, first_start(&case.body, next));
            self.indented(|printer| printer.stmts(&case.body));
        }
        let before = cases.last().map_or(subject.span.end, |case| case.span.end);
        self.otherwise(before, stmt.span.end, otherwise);
        self.close(stmt.span.end);
    }

    /// `alias a : x; b : y do`, one to a line if there are several.
    pub(super) fn alias_head(&mut self, start: u32, aliases: &[Alias], body: u32) {
        let head_end = aliases.last().map_or(start, |alias| alias.span.end);
        let text = |alias: &Alias| unbounded(|flat| flat.names(&alias.names)) + " : ";
        if let [alias] = aliases {
            self.leading(start, head_end);
            self.headed(&format!("alias {}", text(alias)), &alias.value, " do");
            return self.trailing_head(head_end, body);
        }
        let word = self.code_after(aliases.last().map_or(start + "alias".len() as u32, |last| last.span.end));
        self.leading(start, start);
        self.line("alias");
        self.indented(|printer| {
            for alias in aliases {
                printer.leading(alias.span.start, alias.span.end);
                printer.headed(&text(alias), &alias.value, ";");
                printer.trailing(alias.span.end);
            }
            printer.comments_before(word);
        });
        self.line("do");
        self.trailing_head(word, body);
    }

    /// Up to where comments move before a statement on one line.
    fn stmt_solid_end(&self, stmt: &Stmt) -> u32 {
        match &stmt.kind {
            StmtKind::Assign { value: expr, .. } | StmtKind::Return(Some(expr)) => {
                self.solid_end(expr, stmt.span.end)
            }
            StmtKind::Property(property) => self.property_solid_end(property),
            _ => stmt.span.end,
        }
    }

    pub(super) fn property_solid_end(&self, property: &Property) -> u32 {
        match &property.claim {
            Claim::Holds(expr) => self.solid_end(expr, property.span.end),
            _ => property.span.end,
        }
    }

    fn simple_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.headed(&format!("{} := ", designator_text(target)), value, ";");
            }
            StmtKind::Call { name, args } => {
                let args = unbounded(|flat| flat.exprs(args));
                self.line(&format!("{}({args});", name.text));
            }
            StmtKind::Clear(target) => self.line(&format!("clear {};", designator_text(target))),
            StmtKind::Undefine(target) => self.line(&format!("undefine {};", designator_text(target))),
            StmtKind::PutText(text) => self.line(&format!("put {};", quoted(text))),
            StmtKind::PutExpr(expr) => self.headed("put ", expr, ";"),
            StmtKind::Error(text) => self.line(&format!("error {};", quoted(text))),
            StmtKind::Return(None) => self.line("return;"),
            StmtKind::Return(Some(value)) => self.headed("return ", value, ";"),
            StmtKind::Property(property) => self.property_stmt(property),
            _ => self.multiset_stmt(stmt),
        }
    }

    fn multiset_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::MultisetAdd { element, multiset } => {
                let tail = format!(", {});", designator_text(multiset));
                self.headed("multisetadd(", element, &tail);
            }
            StmtKind::MultisetRemove { index, multiset } => {
                let tail = format!(", {});", designator_text(multiset));
                self.headed("multisetremove(", index, &tail);
            }
            StmtKind::MultisetRemovePred { index, multiset, predicate } => {
                let head = format!("multisetremovepred({} : {}, ", index.text, designator_text(multiset));
                self.headed(&head, predicate, ");");
            }
            _ => {}
        }
    }

    /// A property as a statement. CMurphi wants the message of an `assert` behind it, Rumur takes both.
    fn property_stmt(&mut self, property: &Property) {
        match (&property.claim, &property.name) {
            (Claim::Holds(expr), Some(name)) if property.word == PropertyWord::Assert => {
                self.headed("assert ", expr, &format!(" {};", quoted(name)));
            }
            _ => self.property(property),
        }
    }

    pub(super) fn property(&mut self, property: &Property) {
        let word = match property.word {
            PropertyWord::Invariant => "invariant",
            PropertyWord::Assert => "assert",
            PropertyWord::Assume => "assume",
            PropertyWord::Cover => "cover",
            PropertyWord::Liveness => "liveness",
        };
        let (left, right) = match &property.claim {
            Claim::Holds(expr) => (expr, None),
            Claim::CanGetTo(left, right) => (left, Some(("CANGETTO ", right))),
            Claim::LeadsTo(left, right) => (left, Some(("LEADSTO ", right))),
        };
        let name = property.name.as_ref().map(quoted);
        if right.is_none() && name.is_none() {
            return self.headed(&format!("{word} "), left, ";");
        }
        self.line(&name.map_or(word.to_string(), |name| format!("{word} {name}")));
        self.indent += STEP;
        match right {
            None => self.headed("", left, ";"),
            Some((relation, right)) => {
                self.headed("", left, "");
                self.headed(relation, right, ";");
            }
        }
        self.indent -= STEP;
    }
}

pub(super) fn quantifiers_text(quantifiers: &[Quantifier]) -> String {
    unbounded(|flat| flat.quantifiers(quantifiers))
}
