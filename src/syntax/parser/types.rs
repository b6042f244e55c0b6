//! Type expressions: named, ranges, enum, record, array, scalarset, union, multiset, boolean, real.

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{ExprKind, Field, TypeExpr, TypeKind};
use crate::syntax::token::Tok;

impl Parser<'_> {
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.type_kind()?;
            Ok(TypeExpr { span: parser.since(start), kind })
        })
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        match self.peek() {
            Tok::Boolean => {
                self.bump();
                Ok(TypeKind::Boolean)
            }
            Tok::Enum => self.enum_type(),
            Tok::Record => self.record_type(),
            Tok::Array => self.array_type(),
            Tok::Scalarset => {
                self.bump();
                self.expect(Tok::LParen)?;
                let size = self.expr()?;
                self.expect(Tok::RParen)?;
                Ok(TypeKind::Scalarset(Box::new(size)))
            }
            Tok::Ident if self.at_word("union") && self.peek_at(1) == Tok::LBrace => self.union_type(),
            Tok::Ident if self.at_word("multiset") && self.peek_at(1) == Tok::LBracket => {
                self.multiset_type()
            }
            Tok::Ident if self.at_word("real") && self.peek_at(1) == Tok::LParen => self.real_type(),
            _ => self.name_or_range(),
        }
    }

    /// A name alone is a type's; otherwise it is the lower end of a range.
    fn name_or_range(&mut self) -> Parsed<TypeKind> {
        if !self.at_expr() {
            return Err(self.unexpected("a type"));
        }
        let from = self.expr()?;
        if self.eat(Tok::DotDot) {
            let to = self.expr()?;
            return Ok(TypeKind::Range(Box::new(from), Box::new(to)));
        }
        match from.kind {
            ExprKind::Designator(name) if name.selectors.is_empty() => Ok(TypeKind::Named(name.base)),
            ExprKind::Undefined(name) => Ok(TypeKind::Named(name)),
            _ => Err(self.unexpected("`..` and the upper end of the range")),
        }
    }

    fn enum_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Tok::LBrace)?;
        let members = self.names();
        if !matches!(self.peek(), Tok::RBrace) {
            let expected = if members.is_empty() { "a name or `}`" } else { "`,` or `}`" };
            return Err(self.unexpected_name(expected));
        }
        self.bump();
        Ok(TypeKind::Enum(members))
    }

    fn record_type(&mut self) -> Parsed<TypeKind> {
        let opening = self.bump();
        let mut fields = Vec::new();
        let mut broken = false;
        self.eat_semis();
        while matches!(self.peek(), Tok::Ident | Tok::Colon) {
            let before = self.at;
            match self.field() {
                Ok(field) => fields.push(field),
                Err(_) => {
                    broken = true;
                    self.skip_until(before, |parser| {
                        matches!(parser.peek(), Tok::Semi | Tok::End | Tok::Begin) || parser.at_item()
                    });
                }
            }
            self.eat_semis();
        }
        self.expect_end("record", opening);
        if broken { Err(Failed) } else { Ok(TypeKind::Record(fields)) }
    }

    fn field(&mut self) -> Parsed<Field> {
        let start = self.span();
        let names = self.names();
        self.expect(Tok::Colon)?;
        let ty = self.type_expr()?;
        Ok(Field { span: self.since(start), names, ty })
    }

    fn array_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Tok::LBracket)?;
        let index = Box::new(self.type_expr()?);
        self.expect(Tok::RBracket)?;
        self.expect_or_go_on(Tok::Of);
        Ok(TypeKind::Array { index, element: Box::new(self.type_expr()?) })
    }

    fn union_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Tok::LBrace)?;
        let mut members = Vec::new();
        while self.peek() != Tok::RBrace {
            members.push(self.type_expr()?);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        if self.peek() != Tok::RBrace {
            return Err(self.unexpected("`,` or `}`"));
        }
        self.bump();
        Ok(TypeKind::Union(members))
    }

    fn multiset_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Tok::LBracket)?;
        let size = Box::new(self.expr()?);
        self.expect(Tok::RBracket)?;
        self.expect_or_go_on(Tok::Of);
        Ok(TypeKind::Multiset { size, element: Box::new(self.type_expr()?) })
    }

    fn real_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Tok::LParen)?;
        let mantissa = Box::new(self.expr()?);
        self.expect(Tok::Comma)?;
        let exponent = Box::new(self.expr()?);
        self.expect(Tok::RParen)?;
        Ok(TypeKind::Real { mantissa, exponent })
    }
}
