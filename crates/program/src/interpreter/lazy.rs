//! Names whose import waits until somebody asks for them: lazy imports of Python 3.15, and packages that load their parts lazily.

use super::Interpreter;
use super::calls::Args;
use super::imports::Imported;
use crate::code::{Expr, ExprKind, Import, ImportNames, StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::values::{LazyImport, Value};
use crate::program::imports::{each_import, module_of};
use std::borrow::Cow;
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    pub(super) fn bind_lazy(&mut self, import: &'p Import<'p>, span: Span) {
        let Import { level, module, .. } = *import;
        match &import.names {
            ImportNames::Module(None) => {
                let top = module.split('.').next().unwrap_or_default();
                let file = self.here.file;
                let import = LazyImport { file, level, module, name: None, binds_top: true, span };
                self.bind(top, Value::Lazy(Rc::new(import)));
            }
            ImportNames::Module(Some(bound)) => self.bind_part(bound, (level, module, None), span),
            ImportNames::Names(names) => {
                for name in names {
                    self.bind_part(name.bound, (level, module, Some(name.name)), span);
                }
            }
            ImportNames::Star => {}
        }
    }

    /// The first use of a lazily imported name imports the module.
    pub(super) fn force_lazy(&mut self, value: Value<'p>) -> Value<'p> {
        let Value::Lazy(import) = value else { return value };
        // Two modules that have a name from each other.
        if self.forced.iter().any(|forced| Rc::ptr_eq(forced, &import)) {
            return Value::Unknown;
        }
        self.forced.push(import.clone());
        let outer = std::mem::replace(&mut self.here.file, import.file);
        let result = self.import_now(&import);
        self.here.file = outer;
        self.forced.pop();
        result
    }

    fn import_now(&mut self, import: &LazyImport<'p>) -> Value<'p> {
        match self.import_path(import.level, import.module, import.name, import.span) {
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
        }
    }

    /// Whether the file's `__lazy_modules__` names the module, and the project's Python knows what that is.
    pub(super) fn is_declared_lazy(&self, module: &str) -> bool {
        let Some(names) = self.in_scope(self.here.scope, "__lazy_modules__") else { return false };
        let Value::Sequence(names) = self.contents(names) else { return false };
        names.iter().any(|name| matches!(name, Value::Text(name) if name.text == module))
            && self.program.knows_lazy_modules(self.here.file)
    }

    /// `sys.modules[__name__] = _LazyModule(…)`, as transformers and trl have it: the package imports its parts when it is asked
    /// for their names. Which names those are is written a second time, for type checkers.
    pub(super) fn bind_parts(&mut self, span: Span) {
        let blocks = self.code().body.iter().filter_map(|step| match &step.kind {
            StatementKind::Branch { test, then, .. } if is_for_types(test) => Some(then),
            _ => None,
        });
        let mut imports = Vec::new();
        blocks.for_each(|block| each_import(block, &mut |import| imports.push(import)));
        for import in imports {
            match &import.names {
                // `from . import part`: the package would ask itself for the name.
                ImportNames::Names(names) if import.module.is_empty() => {
                    for name in names {
                        self.bind_part(name.bound, (import.level, name.name, None), span);
                    }
                }
                ImportNames::Names(_) => self.bind_lazy(import, span),
                ImportNames::Star => self.bind_all_lazy(import, span),
                ImportNames::Module(_) => {}
            }
        }
    }

    /// All names that a module of the project defines.
    fn bind_all_lazy(&mut self, import: &'p Import<'p>, span: Span) {
        let (_, module) = module_of(import, self.here.file, &self.program.modules);
        let Some(file) = module.and_then(|module| module.file()) else { return };
        for name in self.names_of_star(file) {
            self.bind_part(name, (import.level, import.module, Some(name)), span);
        }
    }

    /// `lazy_loader.attach(__name__, submodules, submod_attrs)`: which names of the package stand for which parts of it.
    pub(super) fn attach(&mut self, args: &Args<'p>, span: Span) {
        let given = |position: usize, name: &str| {
            args.at(position).or_else(|| args.keyword(name)).map(|argument| argument.value.clone())
        };
        let modules = given(1, "submodules").map(|modules| self.contents(&modules));
        for module in modules.iter().flat_map(texts_of) {
            self.bind_part(module, (1, module, None), span);
        }
        let Some(attributes) = given(2, "submod_attrs") else { return };
        let Value::Mapping(entries) = self.contents(&attributes) else { return };
        for (module, names) in entries.iter() {
            let Some(module) = text_of(module) else { continue };
            let names = self.contents(names);
            texts_of(&names).for_each(|name| self.bind_part(name, (1, module, Some(name)), span));
        }
    }

    /// Lets a name stand for a module, or for a name of it: what is imported is given as in `from level module import name`.
    fn bind_part(
        &mut self,
        bound: &'p str,
        (level, module, name): (u32, &'p str, Option<&'p str>),
        span: Span,
    ) {
        let file = self.here.file;
        let import = LazyImport { file, level, module, name, binds_top: false, span };
        self.bind(bound, Value::Lazy(Rc::new(import)));
    }
}

/// Whether a package puts an object in its own place that loads its parts lazily.
pub(super) fn replaces_package(targets: &[Target<'_>], value: &Expr<'_>) -> bool {
    let [Target::Item(item)] = targets else { return false };
    let is_modules = match &item.0.kind {
        ExprKind::Attribute(module, "modules") => matches!(module.kind, ExprKind::Name("sys")),
        _ => false,
    };
    let ExprKind::Call(call) = &value.kind else { return false };
    let (ExprKind::Name(class) | ExprKind::Attribute(_, class)) = call.callee.kind else { return false };
    is_modules && matches!(item.1.kind, ExprKind::Name("__name__")) && class.ends_with("LazyModule")
}

/// `if TYPE_CHECKING:`, also with a switch beside it that makes the package import its parts at once.
fn is_for_types(test: &Expr<'_>) -> bool {
    match &test.kind {
        ExprKind::Any(parts) => parts.first().is_some_and(is_type_checking),
        _ => is_type_checking(test),
    }
}

pub(super) fn is_type_checking(test: &Expr<'_>) -> bool {
    matches!(test.kind, ExprKind::Name("TYPE_CHECKING") | ExprKind::Attribute(_, "TYPE_CHECKING"))
}

fn text_of<'p>(value: &Value<'p>) -> Option<&'p str> {
    match value {
        Value::Text(text) => match text.text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        },
        _ => None,
    }
}

/// The texts of a list that is known.
fn texts_of<'a, 'p>(value: &'a Value<'p>) -> impl Iterator<Item = &'p str> + use<'a, 'p> {
    let all = match value {
        Value::Sequence(all) => Some(all.iter()),
        _ => None,
    };
    all.into_iter().flatten().filter_map(text_of)
}
