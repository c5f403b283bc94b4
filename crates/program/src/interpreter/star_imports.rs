//! `from module import *`: the names that it brings.

use super::Interpreter;
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::FileId;
use crate::program::heap::values::Value;
use crate::program::modules::ImportTarget;

impl<'p> Interpreter<'p> {
    pub(super) fn import_star(&mut self, module: Option<ImportTarget>) {
        let Some(ImportTarget::File(file)) = module else { return };
        let Some(scope) = self.entered(file) else { return self.defer_star(file) };
        let mut values = self.heap.names(scope);
        match self.in_scope(scope, "__all__").cloned().and_then(|all| self.elements(&all)) {
            // A list that was added to by something unknown says nothing.
            Some(all) if all.iter().all(|name| matches!(name, Value::Text(_))) => {
                values.retain(|(name, _)| all.iter().any(|listed| listed.as_text().as_deref() == Some(*name)))
            }
            _ => values.retain(|(name, _)| !name.starts_with('_')),
        }
        for (name, value) in values {
            self.bind(name, value);
        }
    }

    /// Names of a module that did not run, for `from module import *`.
    fn defer_star(&mut self, file: FileId) {
        for name in self.names_of_star(file) {
            self.bind(name, Value::Deferred(file, name));
        }
    }

    /// The names that a module which did not run has for `from module import *`.
    pub(super) fn names_of_star(&self, file: FileId) -> Vec<&'p str> {
        let mut names = self.program.names_defined(file);
        match self.listed_names(file) {
            Some(listed) => names.retain(|name| listed.contains(name)),
            None => names.retain(|name| !name.starts_with('_')),
        }
        names
    }

    /// The names in `__all__`, where one statement binds it to texts and nothing else changes it.
    fn listed_names(&self, file: FileId) -> Option<Vec<&'p str>> {
        let is_all = |target: &Target<'p>| matches!(target, Target::Name("__all__", _));
        let mut bound = self.code_of(file).body.iter().filter_map(|step| match &step.kind {
            StatementKind::Assign { targets, value, .. } if targets.iter().any(is_all) => {
                Some(value.as_ref())
            }
            StatementKind::Update { target, .. } if is_all(target) => Some(None),
            _ => None,
        });
        let (Some(Some(value)), None) = (bound.next(), bound.next()) else { return None };
        let ExprKind::Sequence(names) = &value.kind else { return None };
        let text = |name: &'p Expr<'p>| match &name.kind {
            ExprKind::Text(text) => Some(text.as_ref()),
            _ => None,
        };
        names.iter().map(text).collect()
    }
}
