//! Lazy imports of Python 3.15: the module is imported when the name is first used.

use super::Run;
use super::imports::Imported;
use crate::code::{Import, ImportNames};
use crate::facts::Span;
use crate::program::heap::values::{LazyImport, Value};
use std::rc::Rc;

impl<'p> Run<'p> {
    pub(super) fn bind_lazy(&mut self, import: &'p Import<'p>, span: Span) {
        let file = self.here.file;
        let lazy = |name: Option<&'p str>, binds_top: bool| {
            let import =
                LazyImport { file, level: import.level, module: import.module, name, binds_top, span };
            Value::Lazy(Rc::new(import))
        };
        match &import.names {
            ImportNames::Module(bound) => {
                let name = bound.unwrap_or_else(|| import.module.split('.').next().unwrap_or_default());
                self.bind(name, lazy(None, bound.is_none()));
            }
            ImportNames::Names(names) => {
                for name in names {
                    self.bind(name.bound, lazy(Some(name.name), false));
                }
            }
            ImportNames::Star => {}
        }
    }

    /// The first use of a lazily imported name imports the module.
    pub(super) fn force_lazy(&mut self, value: Value<'p>) -> Value<'p> {
        let Value::Lazy(import) = value else { return value };
        let outer = std::mem::replace(&mut self.here.file, import.file);
        let result = match self.import_path(import.level, import.module, import.name, import.span) {
            Imported::Outside => {
                self.import_outside(import.module, import.name, import.span);
                let module = if import.binds_top {
                    import.module.split('.').next().unwrap_or_default()
                } else {
                    import.module
                };
                let path = self.paths.id(module);
                Value::Outside(import.name.map_or(path, |name| self.paths.child(path, name)))
            }
            Imported::Project(first, last) => match import.name {
                Some(name) => self.name_from(last, name, import.span),
                None => self.found_value(if import.binds_top { first } else { last }, import.span),
            },
        };
        self.here.file = outer;
        result
    }

    /// Whether the file's `__lazy_modules__` names the module, and the project's Python knows what that is.
    pub(super) fn is_declared_lazy(&self, module: &str) -> bool {
        let Some(names) = self.in_scope(self.here.scope, "__lazy_modules__") else { return false };
        let Value::Sequence(names) = self.contents(names) else { return false };
        names.iter().any(|name| matches!(name, Value::Text(name) if name.text == module))
            && self.program.knows_lazy_modules(self.here.file)
    }
}
