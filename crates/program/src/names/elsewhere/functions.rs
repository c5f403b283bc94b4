//! What functions are given, and what they return.

use super::super::scopes::Binding;
use super::super::{Key, Names};
use super::Rewriting;
use crate::code::{Block, Call, Expr, ExprKind, Function, ParameterKind, Statement, StatementKind, argument};
use crate::program::words::places_of;
use memchr::memmem::Finder;

impl Names<'_, '_> {
    /// What a parameter is given by the only call of its function, or its default where calls there are and none gives it. The
    /// function is used for nothing but these calls, which stand in its file, and does not test the parameter.
    pub(super) fn given(&self, number: usize, name: &str, writing: &mut Rewriting) -> Option<Expr<'static>> {
        let code = self.program.code(self.file);
        let function = &code.functions[number];
        let position = function.parameters.iter().position(|one| one.name == name)?;
        let parameter = &function.parameters[position];
        // `Reader(rank)` calls its `__init__`.
        let made = match self.scopes.parents.get(&Key::Function(number))? {
            Key::Class(class) if function.name == "__init__" => Some(*class),
            Key::Class(_) => return None,
            _ => None,
        };
        let called = made.map_or(function.name, |class| code.classes[class].name);
        let is_taken = matches!(parameter.kind, ParameterKind::Rest | ParameterKind::Keywords);
        if is_taken || self.is_tested(function, name) || self.program.is_of_tests(self.file) {
            return None;
        }
        let is_its_name = |callee: &Expr<'_>| match callee.kind {
            ExprKind::Name(name) => match self.bound(callee.span, name) {
                Some(Binding::Function(found)) => *found == number,
                Some(Binding::Class(class)) => made == Some(*class),
                _ => false,
            },
            _ => false,
        };
        let calls: Vec<&Call<'_>> =
            self.scopes.calls.iter().copied().filter(|call| is_its_name(&call.callee)).collect();
        // Its definition is the other place.
        if calls.len() + 1 != places_of(self.program.text_of(self.file), &Finder::new(called)).count() {
            return None;
        }
        let position = (parameter.kind == ParameterKind::Plain)
            .then(|| position.checked_sub(usize::from(made.is_some())))
            .flatten();
        let mut given = calls.iter().map(|call| {
            let is_plain = !call.arguments.iter().any(|one| one.unpacked);
            is_plain.then(|| argument(&call.arguments, position, Some(name)))
        });
        match (given.next()??, given.len()) {
            (Some(only), 0) => self.value(only, writing),
            // A call in another file may give something else: these do not.
            (None, _) if given.all(|one| matches!(one, Some(None))) => {
                self.value(parameter.default.as_ref()?, writing)
            }
            _ => None,
        }
    }

    /// Whether a function asks what a parameter is.
    fn is_tested(&self, function: &Function<'_>, parameter: &str) -> bool {
        const BEHIND: &[&str] = &["==", "!=", "in ", "is ", "not in ", ".", "else"];
        const BEFORE: &[&str] = &["if", "elif", "while", "not", "and", "or", "==", "match"];
        let text = &self.program.text_of(self.file)[function.span.range()];
        places_of(text, &Finder::new(parameter)).any(|at| {
            let (before, rest) = (text[..at].trim_end(), text[at + parameter.len()..].trim_start());
            BEHIND.iter().any(|word| rest.starts_with(word))
                || BEFORE.iter().any(|word| before.ends_with(word))
        })
    }

    /// What a function of the project returns that returns once.
    pub(super) fn returned_by(&self, call: &Call<'_>, writing: &mut Rewriting) -> Option<Expr<'static>> {
        let ExprKind::Name(name) = call.callee.kind else { return None };
        match self.bound(call.callee.span, name)? {
            Binding::Function(function) => self.returned(*function, writing),
            Binding::Import(import, Some(of)) => self.in_file(self.module(import, None)?, of, |other| {
                match other.bound_in(Key::Module, of)? {
                    Binding::Function(function) => other.returned(*function, writing),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    fn returned(&self, function: usize, writing: &mut Rewriting) -> Option<Expr<'static>> {
        let function = &self.program.code(self.file).functions[function];
        let is_plain = !function.is_async && !function.is_generator;
        is_plain.then(|| self.value(only_result(&function.body)?, writing)).flatten()
    }
}

/// What a body returns that ends with its only `return`.
fn only_result<'b, 's>(body: &'b Block<'s>) -> Option<&'b Expr<'s>> {
    let (last, before) = body.split_last()?;
    let StatementKind::Return(Some(result)) = &last.kind else { return None };
    let is_plain = |step: &Statement<'_>| {
        matches!(
            step.kind,
            StatementKind::Evaluate(_) | StatementKind::Assign { .. } | StatementKind::Import(_)
        )
    };
    before.iter().all(is_plain).then_some(result)
}
