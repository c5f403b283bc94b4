//! Patterns: the names that they bind, and the literals that they accept.

use super::Lowering;
use crate::code::{Expr, ExprKind, Target};
use syn::Pat;

impl<'s> Lowering<'s> {
    /// What a `let` binds.
    pub(super) fn target(&mut self, pat: &Pat) -> Target<'s> {
        match pat {
            Pat::Ident(bind) => {
                let name = self.name(&bind.ident);
                self.locals.insert(name);
                Target::Name(name, self.between(bind.ident.span(), bind.ident.span()))
            }
            Pat::Type(typed) => self.target(&typed.pat),
            Pat::Reference(reference) => self.target(&reference.pat),
            Pat::Paren(inner) => self.target(&inner.pat),
            Pat::Tuple(tuple) => Target::Sequence(tuple.elems.iter().map(|part| self.target(part)).collect()),
            // `Ok(x)` and `Some(x)` hold what they were made of.
            Pat::TupleStruct(holder) if holder.elems.len() == 1 => self.target(&holder.elems[0]),
            pat => {
                let names = self.names_in(pat);
                let span = crate::facts::Span::default();
                Target::Sequence(names.into_iter().map(|name| Target::Name(name, span)).collect())
            }
        }
    }

    /// The names that a pattern binds.
    pub(super) fn names_in(&mut self, pat: &Pat) -> Vec<&'s str> {
        let mut names = Vec::new();
        self.collect_names(pat, &mut names);
        self.locals.extend(&names);
        names
    }

    fn collect_names(&self, pat: &Pat, names: &mut Vec<&'s str>) {
        crate::languages::nesting_room(|| match pat {
            Pat::Ident(bind) => {
                let name = self.name(&bind.ident);
                // An upper-case name is a constant, or a variant that `use` brought in.
                if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
                    names.push(name);
                }
                if let Some((_, inner)) = &bind.subpat {
                    self.collect_names(inner, names);
                }
            }
            Pat::Type(inner) => self.collect_names(&inner.pat, names),
            Pat::Reference(inner) => self.collect_names(&inner.pat, names),
            Pat::Paren(inner) => self.collect_names(&inner.pat, names),
            Pat::Guard(inner) => self.collect_names(&inner.pat, names),
            Pat::Tuple(inner) => inner.elems.iter().for_each(|part| self.collect_names(part, names)),
            Pat::TupleStruct(inner) => inner.elems.iter().for_each(|part| self.collect_names(part, names)),
            Pat::Slice(inner) => inner.elems.iter().for_each(|part| self.collect_names(part, names)),
            Pat::Struct(inner) => inner.fields.iter().for_each(|field| self.collect_names(&field.pat, names)),
            Pat::Or(inner) => inner.cases.iter().for_each(|case| self.collect_names(case, names)),
            _ => {}
        });
    }

    /// The literals that a pattern accepts; empty when it is not a choice of literals.
    pub(super) fn literals_of(&mut self, pat: &Pat) -> Vec<Expr<'s>> {
        match pat {
            Pat::Lit(literal) => vec![self.literal(&literal.lit)],
            Pat::Paren(inner) => self.literals_of(&inner.pat),
            // `(8, 6)` is a literal as a whole.
            Pat::Tuple(inner) if inner.elems.iter().all(|part| matches!(part, Pat::Lit(_))) => {
                let parts = inner.elems.iter().flat_map(|part| self.literals_of(part)).collect();
                let paren = inner.paren_token.span;
                let span = self.between(paren.open(), paren.close());
                vec![Expr { span, kind: ExprKind::Sequence(parts) }]
            }
            Pat::Reference(inner) => self.literals_of(&inner.pat),
            Pat::TupleStruct(holder)
                if holder.elems.len() == 1
                    && holder
                        .path
                        .segments
                        .last()
                        .is_some_and(|last| last.ident == "Some" || last.ident == "Ok") =>
            {
                self.literals_of(&holder.elems[0])
            }
            Pat::Or(or) => {
                let cases: Vec<_> = or.cases.iter().map(|case| self.literals_of(case)).collect();
                // One case that is no literal makes the whole something else.
                if cases.iter().any(Vec::is_empty) {
                    Vec::new()
                } else {
                    cases.into_iter().flatten().collect()
                }
            }
            _ => Vec::new(),
        }
    }

    /// Whether a pattern accepts everything.
    pub(super) fn accepts_all(&self, pat: &Pat) -> bool {
        match pat {
            Pat::Wild(_) => true,
            Pat::Ident(bind) => {
                bind.subpat.is_none() && !self.name(&bind.ident).starts_with(|c: char| c.is_ascii_uppercase())
            }
            _ => false,
        }
    }

    pub(super) fn literal(&self, literal: &syn::Lit) -> Expr<'s> {
        let kind = match literal {
            syn::Lit::Str(text) => ExprKind::Text(text.value().into()),
            syn::Lit::Int(number) => match number.base10_parse() {
                Ok(number) => ExprKind::Int(number),
                Err(_) => ExprKind::Unknown(Vec::new()),
            },
            syn::Lit::Bool(truth) => ExprKind::Bool(truth.value),
            _ => ExprKind::Unknown(Vec::new()),
        };
        Expr { span: self.between(literal.span(), literal.span()), kind }
    }
}
