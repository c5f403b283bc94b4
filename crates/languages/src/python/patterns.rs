//! `case` of Python → [`Arm`].

use super::Lowering;
use crate::code::{Arm, Expr, ExprKind, Pattern};
use ruff_python_ast as ast;

impl<'s> Lowering<'s, '_> {
    pub(super) fn arm(&mut self, case: &ast::MatchCase) -> Arm<'s> {
        let mut binds = Vec::new();
        let pattern = self.pattern(&case.pattern, &mut binds);
        Arm {
            literals: self.literals(&case.pattern),
            always: case.pattern.is_irrefutable(),
            binds,
            pattern: Some(pattern),
            guard: case.guard.as_ref().map(|guard| self.expr(guard)),
            body: self.block(&case.body),
        }
    }

    /// The values of which a pattern accepts each, where that is all it does.
    fn literals(&mut self, pattern: &ast::Pattern) -> Vec<Expr<'s>> {
        match pattern {
            ast::Pattern::MatchValue(value) => vec![self.expr(&value.value)],
            ast::Pattern::MatchOr(or) => {
                let each: Vec<_> = or.patterns.iter().map(|pattern| self.literals(pattern)).collect();
                match each.iter().any(Vec::is_empty) {
                    true => Vec::new(),
                    false => each.into_iter().flatten().collect(),
                }
            }
            ast::Pattern::MatchAs(bind) => {
                bind.pattern.as_ref().map_or(Vec::new(), |pattern| self.literals(pattern))
            }
            // `case (8, 6):` is a literal as a whole.
            ast::Pattern::MatchSequence(sequence) => {
                let values: Option<Vec<&ast::Expr>> = sequence
                    .patterns
                    .iter()
                    .map(|pattern| match pattern {
                        ast::Pattern::MatchValue(value) => Some(&*value.value),
                        _ => None,
                    })
                    .collect();
                let Some(values) = values.filter(|values| !values.is_empty()) else { return Vec::new() };
                let parts = self.exprs(values);
                vec![Expr { span: self.span(sequence.range), kind: ExprKind::Sequence(parts) }]
            }
            _ => Vec::new(),
        }
    }

    /// The pattern, one level deeper; `binds` gets the names that it binds.
    fn pattern(&mut self, pattern: &ast::Pattern, binds: &mut Vec<&'s str>) -> Pattern<'s> {
        self.deeper(|lowering| lowering.pattern_here(pattern, binds)).unwrap_or(Pattern::Any(None))
    }

    fn patterns(&mut self, patterns: &[ast::Pattern], binds: &mut Vec<&'s str>) -> Vec<Pattern<'s>> {
        patterns.iter().map(|pattern| self.pattern(pattern, binds)).collect()
    }

    fn pattern_here(&mut self, pattern: &ast::Pattern, binds: &mut Vec<&'s str>) -> Pattern<'s> {
        match pattern {
            ast::Pattern::MatchValue(value) => Pattern::Value(self.expr(&value.value)),
            ast::Pattern::MatchSingleton(singleton) => {
                let kind = match singleton.value {
                    ast::Singleton::None => ExprKind::None,
                    ast::Singleton::True => ExprKind::Bool(true),
                    ast::Singleton::False => ExprKind::Bool(false),
                };
                Pattern::Singleton(Expr { span: self.span(singleton.range), kind })
            }
            ast::Pattern::MatchOr(or) => Pattern::Or(self.patterns(&or.patterns, binds)),
            ast::Pattern::MatchAs(bind) => {
                let name = bind.name.as_ref().map(|name| self.name(name));
                binds.extend(name);
                match (&bind.pattern, name) {
                    (Some(pattern), Some(name)) => Pattern::As(Box::new(self.pattern(pattern, binds)), name),
                    (Some(pattern), None) => self.pattern(pattern, binds),
                    (None, name) => Pattern::Any(name),
                }
            }
            ast::Pattern::MatchStar(star) => {
                let name = star.name.as_ref().map(|name| self.name(name));
                binds.extend(name);
                Pattern::Star(name)
            }
            ast::Pattern::MatchSequence(sequence) => {
                Pattern::Sequence(self.patterns(&sequence.patterns, binds))
            }
            ast::Pattern::MatchMapping(mapping) => {
                let keys = self.exprs(&mapping.keys);
                let items = keys.into_iter().zip(self.patterns(&mapping.patterns, binds)).collect();
                let rest = mapping.rest.as_ref().map(|name| self.name(name));
                binds.extend(rest);
                Pattern::Mapping { items, rest }
            }
            ast::Pattern::MatchClass(class) => {
                let parts = self.patterns(&class.arguments.patterns, binds);
                let attributes = class.arguments.keywords.iter();
                let attributes = attributes
                    .map(|keyword| (self.name(&keyword.attr), self.pattern(&keyword.pattern, binds)))
                    .collect();
                Pattern::Class { class: self.expr(&class.cls), parts, attributes }
            }
        }
    }
}
