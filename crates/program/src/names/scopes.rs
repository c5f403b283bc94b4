//! What the namespaces of a file bind.

use super::{Key, is_self};
use crate::code::{Call, Expr, ExprKind, Import, ImportNames, Parameter, StatementKind, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

#[derive(Debug)]
pub(super) enum Binding<'c, 's> {
    /// Something outside the project.
    Path(Rc<str>),
    /// What an expression is.
    Alias(&'c Expr<'s>),
    /// A module of the project, or what has this name in it.
    Import(&'c Import<'s>, Option<&'s str>),
    Function(usize),
    Class(usize),
    /// A parameter of a function.
    Parameter(usize),
    /// Unknown.
    Other,
}

/// What is assigned to attributes of `self`, by their names, and in which namespace.
type Fields<'c, 's> = FxHashMap<&'s str, Vec<(Key, &'c Expr<'s>)>>;

#[derive(Debug, Default)]
pub(super) struct Scopes<'c, 's> {
    pub parents: FxHashMap<Key, Key>,
    tables: FxHashMap<Key, Table<'c, 's>>,
    /// Of each class what its methods assign.
    fields: FxHashMap<Key, Fields<'c, 's>>,
    /// Modules outside the project that all names are imported from.
    stars: Vec<&'c str>,
    /// A name that nothing binds is the library of that name, if there is one.
    pub open_names: bool,
    /// Attributes that are set on something, and not by a plain statement on `self`.
    set_attributes: FxHashSet<&'s str>,
    /// Attributes are set whose names are not known.
    pub sets_any_attribute: bool,
    /// The calls of something by its name.
    pub calls: Vec<&'c Call<'s>>,
    /// Names of dictionaries and lists that are changed somewhere.
    changed: FxHashSet<&'s str>,
}

#[derive(Debug, Default)]
struct Table<'c, 's> {
    bindings: FxHashMap<&'s str, Vec<Binding<'c, 's>>>,
    /// Names of `global` and `nonlocal`.
    shared: FxHashSet<&'s str>,
}

/// Libraries that excerpts of programs use without their imports, and files by those of another.
const LIBRARIES: &[&str] = &[
    "contextlib",
    "cupy",
    "gc",
    "jax",
    "numba",
    "os",
    "subprocess",
    "sys",
    "tensorflow",
    "threading",
    "torch",
];

/// Names that stand for names that stand for names: further ones are not followed.
pub(super) const MAX_HOPS: usize = 4;

/// A name that is bound more often is not followed.
const MAX_BINDINGS: usize = 6;

/// No name of a library is longer; a chain of a thousand calls is.
pub(super) const MAX_LENGTH: usize = 200;

impl<'c, 's> Scopes<'c, 's> {
    /// A namespace begins, with its parameters in it.
    pub fn open(&mut self, inner: Key, outer: Key, parameters: &[Parameter<'s>]) {
        self.parents.insert(inner, outer);
        let binding = || match inner {
            Key::Function(function) => Binding::Parameter(function),
            _ => Binding::Other,
        };
        parameters.iter().for_each(|one| self.bind(inner, one.name, binding()));
    }

    pub fn bind(&mut self, here: Key, name: &'s str, binding: Binding<'c, 's>) {
        let shared = self.tables.get(&here).is_some_and(|table| table.shared.contains(name));
        let table = self.tables.entry(if shared { Key::Module } else { here }).or_default();
        table.bindings.entry(name).or_default().push(binding);
    }

    pub fn bind_target(&mut self, here: Key, target: &'c Target<'s>) {
        match target {
            Target::Name(name, _) => self.bind(here, name, Binding::Other),
            Target::Sequence(targets) => targets.iter().for_each(|target| self.bind_target(here, target)),
            Target::Rest(target) => self.bind_target(here, target),
            Target::Attribute(_, name) => _ = self.set_attributes.insert(name),
            Target::Item(parts) => self.change(&parts.0),
        }
    }

    /// Items of something are set or taken away.
    fn change(&mut self, container: &Expr<'s>) {
        if let ExprKind::Name(name) | ExprKind::Attribute(_, name) = container.kind {
            self.changed.insert(name);
        }
    }

    /// Whether an attribute of this name is set on something of which it is not known what it is.
    pub fn sets_attribute(&self, name: &str) -> bool {
        self.sets_any_attribute || self.set_attributes.contains(name)
    }

    /// Whether items of a dictionary or list of this name are set or taken away.
    pub fn changes(&self, name: &str) -> bool {
        self.changed.contains(name)
    }

    /// `name = value`, and each of `first, second = 0, 1`.
    fn assign(&mut self, here: Key, target: &'c Target<'s>, value: &'c Expr<'s>) {
        match (target, &value.kind) {
            (Target::Name(name, _), _) => self.bind(here, name, Binding::Alias(value)),
            (Target::Attribute(object, name), _) if is_self(object) => self.bind_field(here, name, value),
            (Target::Sequence(targets), ExprKind::Sequence(values))
                if targets.len() == values.len()
                    && !values.iter().any(|value| matches!(value.kind, ExprKind::Starred(_)))
                    && !targets.iter().any(|target| matches!(target, Target::Rest(_))) =>
            {
                targets.iter().zip(values).for_each(|(target, value)| self.assign(here, target, value));
            }
            (target, _) => self.bind_target(here, target),
        }
    }

    /// Binds what a statement binds that is no import and no definition.
    pub fn step(&mut self, here: Key, kind: &'c StatementKind<'s>) {
        match kind {
            StatementKind::Assign { targets, value, annotated } => match (&targets[..], value) {
                // A bare declaration binds nothing.
                (_, None) if *annotated => {}
                ([target], Some(value)) => self.assign(here, target, value),
                (targets, _) => targets.iter().for_each(|target| self.bind_target(here, target)),
            },
            StatementKind::Update { target, .. } | StatementKind::For { target, .. } => {
                self.bind_target(here, target)
            }
            StatementKind::With { items, .. } => {
                let targets = items.iter().filter_map(|(_, target)| target.as_ref());
                targets.for_each(|target| self.bind_target(here, target));
            }
            StatementKind::Try { handlers, .. } => {
                let names = handlers.iter().filter_map(|handler| handler.name);
                names.for_each(|name| self.bind(here, name, Binding::Other));
            }
            StatementKind::Match { arms, .. } => {
                let names = arms.iter().flat_map(|arm| &arm.binds);
                names.for_each(|name| self.bind(here, name, Binding::Other));
            }
            StatementKind::Share(names) => self.share(here, names),
            _ => {}
        }
    }

    fn share(&mut self, here: Key, names: &[&'s str]) {
        self.tables.entry(here).or_default().shared.extend(names);
    }

    pub fn import(&mut self, here: Key, import: &'c Import<'s>, outside: bool) {
        match &import.names {
            ImportNames::Module(bound) => {
                let first = import.module.split('.').next().unwrap_or(import.module);
                let binding = match (bound, outside) {
                    (Some(_), true) => Binding::Path(import.module.into()),
                    (None, true) => Binding::Path(first.into()),
                    (None, false) if first != import.module => Binding::Other,
                    _ => Binding::Import(import, None),
                };
                self.bind(here, bound.unwrap_or(first), binding);
            }
            ImportNames::Names(names) => {
                for one in names {
                    let binding = match outside {
                        true => Binding::Path(format!("{}.{}", import.module, one.name).into()),
                        false => Binding::Import(import, Some(one.name)),
                    };
                    self.bind(here, one.bound, binding);
                }
            }
            ImportNames::Star if outside => self.stars.push(import.module),
            // A module of the project hands on what it imports.
            ImportNames::Star => self.open_names = true,
        }
    }

    /// The class whose method a namespace is, or lies in.
    pub fn class_of(&self, here: Key) -> Option<Key> {
        let mut key = here;
        while !matches!(key, Key::Class(_)) {
            key = *self.parents.get(&key)?;
        }
        Some(key)
    }

    fn bind_field(&mut self, here: Key, name: &'s str, value: &'c Expr<'s>) {
        if let Some(class) = self.class_of(here) {
            self.fields.entry(class).or_default().entry(name).or_default().push((here, value));
        }
    }

    /// What is assigned to `self.name`, where that happens once, in a method or in the body of the class.
    pub fn field_value(&self, here: Key, name: &'s str) -> Option<&'c Expr<'s>> {
        let class = self.class_of(here)?;
        match self.fields_set(class, name) {
            [(_, value)] => Some(value),
            [_, ..] => None,
            [] => {
                let is_own = self.tables.get(&class).is_some_and(|table| table.bindings.contains_key(name));
                is_own.then(|| self.value(class, name, 0)).flatten()
            }
        }
    }

    /// All that is assigned to `self.name`, where that is known and little.
    pub fn field_values(&self, here: Key, name: &'s str) -> Option<Vec<&'c Expr<'s>>> {
        let bound = self.fields_set(self.class_of(here)?, name);
        let is_known = (1..=MAX_BINDINGS).contains(&bound.len());
        is_known.then(|| bound.iter().map(|(_, value)| *value).collect())
    }

    /// What `self.name` stands for, when all that is assigned to it stands for the same.
    pub fn field(&self, here: Key, name: &'s str) -> Option<Rc<str>> {
        let bound = self.fields_set(self.class_of(here)?, name);
        let (first, rest) = bound.split_first().filter(|(_, rest)| rest.len() < MAX_BINDINGS)?;
        let path = self.path_of(first.0, first.1, 1)?;
        rest.iter().all(|(at, value)| self.path_of(*at, value, 1).as_ref() == Some(&path)).then_some(path)
    }

    /// The bindings of a name that code in a namespace sees, and the namespace that has them.
    pub fn find(&self, here: Key, name: &str) -> Option<(Key, &[Binding<'c, 's>])> {
        let mut key = here;
        loop {
            // The names of a class are not seen in its methods.
            let seen = key == here || !matches!(key, Key::Class(_));
            if let Some(found) =
                self.tables.get(&key).filter(|_| seen).and_then(|table| table.bindings.get(name))
            {
                return Some((key, found));
            }
            key = *self.parents.get(&key)?;
        }
    }

    /// What the methods of a class assign to an attribute of `self`, and where.
    pub fn fields_set(&self, class: Key, name: &str) -> &[(Key, &'c Expr<'s>)] {
        self.fields.get(&class).and_then(|fields| fields.get(name)).map_or(&[], Vec::as_slice)
    }

    /// What a namespace itself binds a name to.
    pub fn own(&self, here: Key, name: &str) -> Option<&[Binding<'c, 's>]> {
        self.tables.get(&here)?.bindings.get(name).map(Vec::as_slice)
    }

    pub fn path(&self, here: Key, name: &str, hops: usize) -> Option<Rc<str>> {
        let Some((key, bindings)) = self.find(here, name) else {
            return Some(match self.stars[..] {
                [only] => format!("{only}.{name}").into(),
                _ if self.open_names && LIBRARIES.contains(&name) => name.into(),
                _ => format!("builtins.{name}").into(),
            });
        };
        let mut found: Option<Rc<str>> = None;
        if bindings.len() > MAX_BINDINGS {
            return None;
        }
        for binding in bindings {
            let path = match binding {
                Binding::Path(path) => path.clone(),
                // What stands in for a library that is not there.
                Binding::Alias(Expr { kind: ExprKind::None, .. }) => continue,
                Binding::Alias(expr) if hops < MAX_HOPS => self.path_of(key, expr, hops + 1)?,
                _ => return None,
            };
            if found.as_ref().is_some_and(|known| *known != path) {
                return None;
            }
            found = Some(path);
        }
        found
    }

    fn path_of(&self, here: Key, expr: &Expr<'s>, hops: usize) -> Option<Rc<str>> {
        match &expr.kind {
            ExprKind::Name(name) => self.path(here, name, hops),
            ExprKind::Outside(path) => Some(path.as_ref().into()),
            ExprKind::Attribute(inner, name) => {
                Some(format!("{}.{name}", self.path_of(here, inner, hops)?).into())
            }
            ExprKind::Call(call) => Some(format!("{}()", self.path_of(here, &call.callee, hops)?).into()),
            _ => None,
        }
    }

    /// What is assigned to a name, where that happens once.
    pub fn value(&self, here: Key, name: &str, hops: usize) -> Option<&'c Expr<'s>> {
        match self.find(here, name)? {
            (key, [Binding::Alias(expr)]) => match &expr.kind {
                ExprKind::Name(other) if hops < MAX_HOPS => self.value(key, other, hops + 1),
                ExprKind::Name(_) => None,
                _ => Some(expr),
            },
            _ => None,
        }
    }

    /// All that is assigned to a name, where that is known and little.
    pub fn values(&self, here: Key, name: &str) -> Option<Vec<&'c Expr<'s>>> {
        let (_, bindings) = self.find(here, name).filter(|(_, all)| all.len() <= MAX_BINDINGS)?;
        let value = |binding: &Binding<'c, 's>| match binding {
            Binding::Alias(expr) => Some(*expr),
            _ => None,
        };
        bindings.iter().map(value).collect()
    }
}
