//! What functions are given, and what they return.

use super::super::scopes::Binding;
use super::super::{Key, Names};
use super::Rewriting;
use crate::code::{Block, Call, Expr, ExprKind, ParameterKind, Statement, StatementKind, argument};

impl Names<'_, '_> {
    /// What a parameter is given by the only call of its function in this file, or its default where calls there are and none
    /// gives it.
    pub(super) fn given(
        &self,
        function: usize,
        name: &str,
        writing: &mut Rewriting,
    ) -> Option<Expr<'static>> {
        let code = self.program.code(self.file);
        let function = &code.functions[function];
        let parameter = function.parameters.iter().find(|one| one.name == name)?;
        if matches!(parameter.kind, ParameterKind::Rest | ParameterKind::Keywords) {
            return None;
        }
        let made = code
            .classes
            .iter()
            .rev()
            .find(|class| function.name == "__init__" && class.span.holds(function.span));
        let called = made.map_or(function.name, |class| class.name);
        let is_bound = function.parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls"));
        let mut plain = function.parameters.iter().filter(|one| one.kind == ParameterKind::Plain);
        let position = plain.position(|one| one.name == name);
        let position = position.and_then(|position| position.checked_sub(usize::from(is_bound)));
        let mut given = None;
        let mut omitted = false;
        let is_it = |callee: &Expr<'_>| match &callee.kind {
            ExprKind::Name(name) => *name == called && (made.is_some() || !is_bound),
            ExprKind::Attribute(_, name) => {
                *name == called && made.is_none() && is_bound && self.path(callee).is_none()
            }
            _ => false,
        };
        for call in self.scopes.calls.iter().filter(|call| is_it(&call.callee)) {
            if call.arguments.iter().any(|one| one.unpacked) {
                return None;
            }
            match argument(&call.arguments, position, Some(name)) {
                Some(value) if given.is_none() => given = Some(value),
                Some(_) => return None,
                None => omitted = true,
            }
        }
        match given {
            Some(given) if !omitted => self.value(given, writing),
            // Whoever calls it elsewhere may give another.
            None if omitted => self.value(parameter.default.as_ref()?, writing),
            _ => None,
        }
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
