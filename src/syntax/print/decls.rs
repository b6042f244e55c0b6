//! Declarations, types over several lines, functions and procedures.

use super::flat::{unbounded, within};
use super::{Printer, STEP};
use crate::syntax::ast::{Decl, DeclKind, Field, Name, Subprogram, TypeExpr, TypeKind};
use crate::syntax::span::Span;

fn section(decl: &Decl) -> &'static str {
    match decl.kind {
        DeclKind::Const(_) => "const",
        DeclKind::Type(_) => "type",
        DeclKind::Var(_) => "var",
    }
}

impl Printer<'_> {
    /// A run of declarations; those of one kind that follow each other share one section.
    pub(super) fn decls<'d>(&mut self, decls: impl Iterator<Item = &'d Decl>, apart: bool) {
        let mut open = "";
        for decl in decls {
            let word = section(decl);
            let anchor = self.word_before(decl.span.start, word);
            if word != open {
                self.apart |= apart;
                self.leading(anchor, anchor);
                self.line(word);
                self.fresh = true;
            }
            self.indent += STEP;
            if word == open {
                self.leading(anchor, anchor);
            }
            self.decl(decl);
            self.indent -= STEP;
            open = word;
        }
    }

    fn decl(&mut self, decl: &Decl) {
        let names = unbounded(|flat| flat.names(&decl.names));
        let head = if names.is_empty() { ": ".to_string() } else { format!("{names} : ") };
        match &decl.kind {
            DeclKind::Const(value) => {
                self.interior(decl.span.end);
                self.headed(&head, value, ";");
            }
            DeclKind::Type(ty) | DeclKind::Var(ty) => self.typed(head, ty),
        }
        self.trailing(decl.span.end);
    }

    /// Comments inside what is printed in one piece, and between a section's word and its first name.
    fn interior(&mut self, until: u32) {
        self.comments_before(until);
    }

    /// `head type;`, over several lines where the type has parts of its own.
    fn typed(&mut self, head: String, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Record(fields) => self.record(head, ty.span, fields),
            TypeKind::Enum(members) if self.must_break(&head, ty) => self.long_enum(head, ty.span, members),
            TypeKind::Array { element, .. } | TypeKind::Multiset { element, .. } => {
                let container = unbounded(|flat| flat.container_head(ty));
                self.typed(head + &container, element);
            }
            _ => {
                self.interior(ty.span.end);
                let flat = unbounded(|flat| flat.ty(ty));
                self.line(&format!("{head}{flat};"));
            }
        }
    }

    fn must_break(&self, head: &str, ty: &TypeExpr) -> bool {
        let room = self.width().saturating_sub(head.chars().count() + 1);
        self.comment_inside(ty.span) || within(room, |flat| flat.ty(ty)).is_none()
    }

    fn record(&mut self, head: String, span: Span, fields: &[Field]) {
        self.interior(span.start);
        self.line(&format!("{head}record"));
        self.trailing_head(span.start, fields.first().map_or(span.end, |field| field.span.start));
        self.indented(|printer| {
            for field in fields {
                printer.leading(field.span.start, field.span.start);
                let names = unbounded(|flat| flat.names(&field.names));
                let head = if names.is_empty() { ": ".to_string() } else { format!("{names} : ") };
                printer.typed(head, &field.ty);
                printer.trailing(field.span.end);
            }
            printer.comments_before(span.end);
        });
        self.line("end;");
    }

    fn long_enum(&mut self, head: String, span: Span, members: &[Name]) {
        self.interior(span.start);
        self.line(&format!("{head}enum {{"));
        self.trailing_head(span.start, members.first().map_or(span.end, |member| member.span.start));
        self.indented(|printer| {
            let mut rest = members;
            while !rest.is_empty() {
                let (row, text) = printer.enum_row(rest);
                let last = rest[row - 1].span.end;
                printer.leading(rest[0].span.start, rest[0].span.start);
                rest = &rest[row..];
                printer.line(&if rest.is_empty() { text } else { format!("{text},") });
                printer.trailing(last);
            }
            printer.comments_before(span.end);
        });
        self.line("};");
    }

    /// How many members share the first one's line, as they did in the source, and their text.
    fn enum_row(&self, members: &[Name]) -> (usize, String) {
        let mut text = members[0].text.clone();
        let mut row = 1;
        for pair in members.windows(2) {
            let (start, end) = (pair[0].span.end, pair[1].span.start);
            let together = self.source.line_of(start) == self.source.line_of(end)
                && !self.comment_inside(Span::new(start, end))
                && text.chars().count() + pair[1].text.chars().count() + 3 <= self.width();
            if !together {
                break;
            }
            text.push_str(", ");
            text.push_str(&pair[1].text);
            row += 1;
        }
        (row, text)
    }

    pub(super) fn subprogram(&mut self, subprogram: &Subprogram) {
        let head_end = match (&subprogram.returns, subprogram.params.last()) {
            (Some(ty), _) => ty.span.end,
            // The closing parenthesis, which has a line of its own in a long head.
            (None, Some(param)) => self.code_after(param.span.end),
            (None, None) => subprogram.name.span.end,
        };
        self.leading(subprogram.span.start, head_end);
        self.subprogram_head(subprogram);
        self.body(head_end, subprogram.span.end, &subprogram.decls, &subprogram.body);
    }

    fn subprogram_head(&mut self, subprogram: &Subprogram) {
        let word = if subprogram.returns.is_some() { "function" } else { "procedure" };
        let open = format!("{word} {}(", subprogram.name.text);
        let params: Vec<String> = subprogram.params.iter().map(param_text).collect();
        let returns = subprogram.returns.as_ref().map(|ty| unbounded(|flat| flat.ty(ty)));
        let close = returns.map_or(");".to_string(), |ty| format!(") : {ty};"));
        let whole = format!("{open}{}{close}", params.join("; "));
        if whole.chars().count() <= self.width() || params.is_empty() {
            return self.line(&whole);
        }
        self.line(&open);
        self.indent += STEP;
        for (at, param) in params.iter().enumerate() {
            let separator = if at + 1 < params.len() { ";" } else { "" };
            self.line(&format!("{param}{separator}"));
        }
        self.indent -= STEP;
        self.line(&close);
    }
}

fn param_text(param: &crate::syntax::ast::Param) -> String {
    let word = if param.by_var { "var " } else { "" };
    let names = unbounded(|flat| flat.names(&param.names));
    format!("{word}{names} : {}", unbounded(|flat| flat.ty(&param.ty)))
}
