//! Fields of modules, classes and objects, and items of dictionaries.

use super::super::scopes::Binding;
use super::super::{Key, Names};
use super::Rewriting;
use crate::code::{Call, Expr, ExprKind, argument};
use crate::program::words::places_of;
use memchr::memmem::Finder;

/// Words of a class whose objects may have other fields than those that are written for them.
const FILLED: &[&str] = &[
    "__post_init__",
    "__getattr__",
    "__getattribute__",
    "__setattr__",
    "__dict__",
    "validator(",
    "setattr(",
];

/// Classes outside the project that add no field of their own to an object, and read none from elsewhere.
const PLAIN_BASES: &[&str] = &[
    "abc.ABC",
    "builtins.object",
    "pydantic.BaseModel",
    "torch.nn.Module",
    "typing.NamedTuple",
    "typing.Protocol",
];

impl Names<'_, '_> {
    /// `settings.DEVICE` of a module, `Settings.device` of a class, and of an object that is made of one.
    pub(super) fn field_of(
        &self,
        here: Key,
        name: &str,
        field: &str,
        writing: &mut Rewriting,
    ) -> Option<Expr<'static>> {
        if self.scopes.sets_attribute(field) {
            return None;
        }
        match self.bound_in(here, name)? {
            Binding::Import(import, of) => match self.module(import, *of) {
                Some(module) => self.in_file(module, field, |other| other.constant(field, writing)),
                None => {
                    let of = (*of)?;
                    self.in_file(self.module(import, None)?, of, |other| {
                        other
                            .behind(writing, |other, writing| other.field_of(Key::Module, of, field, writing))
                    })
                }
            },
            Binding::Class(class) => self.field_of_class(*class, field, false, writing).flatten(),
            Binding::Alias(Expr { kind: ExprKind::Call(call), .. }) => {
                self.field_of_made(call, field, writing)
            }
            _ => None,
        }
    }

    /// A field of what a call of a class makes.
    fn field_of_made(&self, call: &Call<'_>, field: &str, writing: &mut Rewriting) -> Option<Expr<'static>> {
        if call.arguments.iter().any(|one| one.unpacked) {
            return None;
        }
        self.with_class(&call.callee, |names, class| {
            if !names.is_made_plainly(class, writing) || names.program.sets_attribute(field) {
                return None;
            }
            let code = names.program.code(names.file);
            let parameter = match names.scopes.fields_set(Key::Class(class), field) {
                [(Key::Function(function), Expr { kind: ExprKind::Name(name), .. })]
                    if code.functions[*function].name == "__init__"
                        && names
                            .scopes
                            .own(Key::Function(*function), name)
                            .is_some_and(|all| all.len() == 1) =>
                {
                    let plain = code.functions[*function].parameters.iter().skip(1);
                    plain.enumerate().find(|(_, parameter)| parameter.name == *name)
                }
                // What is given goes to parameters that may be something else.
                [] if names.scopes.own(Key::Class(class), "__init__").is_some() => return None,
                // It may be given in order.
                [] if call.arguments.iter().any(|one| one.name.is_none()) => return None,
                _ => None,
            };
            let (position, name) = match parameter {
                Some((position, parameter)) => (Some(position), parameter.name),
                None => (None, field),
            };
            match (argument(&call.arguments, position, Some(name)), parameter) {
                (Some(given), _) => self.value(given, writing),
                (None, Some((_, parameter))) => names.value(parameter.default.as_ref()?, writing),
                (None, None) => names.field_of_class(class, field, true, writing).flatten(),
            }
        })
    }

    /// Looks at the class of the project that an expression names.
    fn with_class<R>(
        &self,
        expr: &Expr<'_>,
        look: impl FnOnce(&Names<'_, '_>, usize) -> Option<R>,
    ) -> Option<R> {
        let ExprKind::Name(name) = expr.kind else { return None };
        match self.bound(expr.span, name)? {
            Binding::Class(class) => look(self, *class),
            Binding::Import(import, Some(of)) => self.in_file(self.module(import, None)?, of, |other| {
                match other.bound_in(Key::Module, of)? {
                    Binding::Class(class) => look(other, *class),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    /// Whether nothing but the class and those of the project above it says what an object begins with: settings of pydantic
    /// read the environment.
    fn is_made_plainly(&self, class: usize, writing: &mut Rewriting) -> bool {
        let class = &self.program.code(self.file).classes[class];
        let text = &self.program.text_of(self.file)[class.span.range()];
        !FILLED.iter().any(|word| text.contains(word))
            && class.bases.iter().all(|base| {
                let above = |names: &Self, writing: &mut Rewriting| {
                    names.with_class(base, |names, above| Some(names.is_made_plainly(above, writing)))
                };
                self.is_plain_base(base) || self.behind(writing, above).unwrap_or(false)
            })
    }

    fn is_plain_base(&self, base: &Expr<'_>) -> bool {
        self.path(base).is_some_and(|path| PLAIN_BASES.contains(&path))
    }

    /// A field of a class, or of an object of it that is given none of its own: what is written for it where that is known;
    /// `None` where the class has no such field.
    pub(super) fn field_of_class(
        &self,
        class: usize,
        field: &str,
        of_object: bool,
        writing: &mut Rewriting,
    ) -> Option<Option<Expr<'static>>> {
        let key = Key::Class(class);
        match self.scopes.fields_set(key, field) {
            [] => {}
            [(_, value)] if of_object && !self.scopes.sets_attribute(field) => {
                return Some(self.value(value, writing));
            }
            _ => return Some(None),
        }
        match self.scopes.own(key, field) {
            Some([Binding::Alias(value)]) if !self.scopes.sets_attribute(field) => {
                return Some(self.value(value, writing));
            }
            Some(_) => return Some(None),
            None => {}
        }
        let bases = self.program.code(self.file).classes[class].bases.iter();
        for base in bases.filter(|base| !self.is_plain_base(base)) {
            let in_base = |names: &Self, writing: &mut Rewriting| {
                names.with_class(base, |names, above| {
                    Some(names.field_of_class(above, field, of_object, writing))
                })
            };
            match self.behind(writing, in_base) {
                Some(None) => {}
                Some(found) => return found,
                // It may have one.
                None => return Some(None),
            }
        }
        None
    }

    /// Whether a dictionary goes by no other name: it is written, and its items are read.
    fn is_only_read(&self, name: &str) -> bool {
        const READ: &[&str] = &["[", ".get(", ".items(", ".keys(", ".values("];
        let text = self.program.text_of(self.file);
        places_of(text, &Finder::new(name)).all(|at| {
            let (before, rest) = (&text[..at], &text[at + name.len()..]);
            let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
            let is_import = line.starts_with("from ") || line.starts_with("import ");
            is_import
                || line.is_empty() && rest.starts_with([' ', ':', '='])
                || READ.iter().any(|read| rest.starts_with(read))
        })
    }

    /// `SETTINGS["device"]` of a dictionary that is written once.
    pub(super) fn item_of(
        &self,
        container: &Expr<'_>,
        key: &Expr<'_>,
        writing: &mut Rewriting,
    ) -> Option<Expr<'static>> {
        let ExprKind::Name(name) = container.kind else { return None };
        self.item_in(self.regions.holding(container.span), name, key, writing)
    }

    fn item_in(
        &self,
        here: Key,
        name: &str,
        key: &Expr<'_>,
        writing: &mut Rewriting,
    ) -> Option<Expr<'static>> {
        if self.scopes.changes(name) {
            return None;
        }
        if !self.is_only_read(name) || self.program.sets_attribute(name) {
            return None;
        }
        match self.bound_in(here, name)? {
            Binding::Alias(Expr { kind: ExprKind::Mapping(items), .. }) => {
                let may_be = |known: &Expr<'_>| is_same(known, key);
                let mut found = items.iter().filter(|(known, _)| known.as_ref().is_none_or(may_be));
                let (known, value) = found.next()?;
                // The same key again, or what another dictionary brings, would stand above it.
                let is_only = known.is_some() && found.next().is_none();
                is_only.then(|| self.value(value, writing)).flatten()
            }
            Binding::Import(import, Some(of)) => self.in_file(self.module(import, None)?, of, |other| {
                other.behind(writing, |other, writing| other.item_in(Key::Module, of, key, writing))
            }),
            _ => None,
        }
    }
}

/// Whether two keys are the same.
fn is_same(one: &Expr<'_>, other: &Expr<'_>) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Text(one), ExprKind::Text(other)) => one == other,
        (ExprKind::Int(one), ExprKind::Int(other)) => one == other,
        _ => false,
    }
}
