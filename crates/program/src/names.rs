//! What the names in one file mean by its imports and assignments alone, wherever they stand: `torch.cuda.init` for
//! `c.init` behind `from torch import cuda as c`. Nothing runs for this, so it also speaks of code that nobody calls.

mod regions;

use super::Program;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Import, ImportNames, Parameter, StatementKind, Target};
use crate::facts::{FileId, Span};
use crate::sources::Language;
use elsa::FrozenMap;
use regions::{Regions, region};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::rc::Rc;

/// The meaning of the names of one file. What its namespaces bind is known from the start; what a name stands for is looked
/// up when somebody asks, which few do of most names.
pub struct Names<'c, 's> {
    scopes: Scopes<'c, 's>,
    regions: Regions,
    /// What was looked up.
    paths: FrozenMap<Span, Rc<str>, FxBuildHasher>,
}

impl<'c, 's> Names<'c, 's> {
    /// Reads what the namespaces of a file bind.
    pub fn of(program: &'c Program<'s>, file: FileId) -> Names<'c, 's> {
        let code = program.code(file);
        let mut scopes = Scopes {
            parents: FxHashMap::default(),
            tables: FxHashMap::default(),
            fields: FxHashMap::default(),
            stars: Vec::new(),
            // The blocks of a document show a part of a program, mostly without its imports.
            open_names: program.language_of(file) == Language::Markdown,
        };
        let mut regions = Vec::new();
        walk(code, &mut |part, around| match part {
            CodeNode::Statement(step) => {
                let here = namespace(around);
                match &step.kind {
                    StatementKind::Import(import) => {
                        scopes.import(here, import, program.imports_outside(file, import))
                    }
                    StatementKind::Define { function, .. } => {
                        let defined = &code.functions[*function];
                        scopes.bind(here, defined.name, Binding::Other);
                        scopes.open(Key::Function(*function), here, &defined.parameters);
                        regions.extend(region(&defined.body, Key::Function(*function)));
                    }
                    StatementKind::DefineClass { class, .. } => {
                        scopes.bind(here, code.classes[*class].name, Binding::Other);
                        scopes.open(Key::Class(*class), here, &[]);
                        regions.extend(region(&code.classes[*class].body, Key::Class(*class)));
                    }
                    kind => scopes.step(here, kind),
                }
            }
            CodeNode::Expr(expr) => match &expr.kind {
                ExprKind::Lambda(function) => {
                    let defined = &code.functions[*function];
                    scopes.open(Key::Function(*function), namespace(around), &defined.parameters);
                    regions.extend(region(&defined.body, Key::Function(*function)));
                }
                ExprKind::Bind(name, value) => scopes.bind(namespace(around), name, Binding::Alias(value)),
                ExprKind::Comprehension(comprehension) => {
                    let here = namespace(around);
                    comprehension.generators.iter().for_each(|one| scopes.bind_target(here, &one.target));
                }
                _ => {}
            },
            CodeNode::Target(_) => {}
        });
        Names { scopes, regions: Regions::of(regions), paths: FrozenMap::default() }
    }

    /// The dotted name outside the project that an expression stands for; `torch.device()` is what calling
    /// `torch.device` returns, and `builtins.int` what no import and no definition of the file binds.
    pub fn path(&self, expr: &Expr<'_>) -> Option<&str> {
        if let Some(known) = self.paths.get(&expr.span) {
            return Some(known);
        }
        let path: Rc<str> = match &expr.kind {
            ExprKind::Name(name) => self.scopes.path(self.regions.holding(expr.span), name, 0)?,
            ExprKind::Outside(path) => path.as_ref().into(),
            ExprKind::Attribute(inner, name) => match self.path(inner) {
                Some(path) => format!("{path}.{name}").into(),
                None if is_self(inner) => self.scopes.field(self.regions.holding(expr.span), name)?,
                None => return None,
            },
            ExprKind::Call(call) => format!("{}()", self.path(&call.callee)?).into(),
            ExprKind::Await(inner) => self.path(inner)?.into(),
            _ => return None,
        };
        (path.len() <= MAX_LENGTH).then(|| self.paths.insert(expr.span, path))
    }

    /// What an expression stands for: that which is assigned to the name, where it is assigned once; else itself.
    pub fn meant<'e>(&'e self, expr: &'e Expr<'s>) -> &'e Expr<'s> {
        let here = || self.regions.holding(expr.span);
        let value = match &expr.kind {
            ExprKind::Name(name) => self.scopes.value(here(), name, 0),
            ExprKind::Attribute(inner, name) if is_self(inner) && self.path(inner).is_none() => {
                self.scopes.field_value(here(), name)
            }
            _ => None,
        };
        value.unwrap_or(expr)
    }

    /// The expressions that an expression may stand for: all that is assigned to the name, and both sides of a choice; itself
    /// where some of it is not known.
    pub fn may_mean<'e>(&'e self, expr: &'e Expr<'s>) -> Vec<&'e Expr<'s>> {
        let mut found = Vec::new();
        self.add_meanings(expr, 0, &mut found);
        found
    }

    fn add_meanings<'e>(&'e self, expr: &'e Expr<'s>, hops: usize, found: &mut Vec<&'e Expr<'s>>) {
        if hops > MAX_HOPS {
            return found.push(expr);
        }
        let here = || self.regions.holding(expr.span);
        let assigned: Option<Vec<&'e Expr<'s>>> = match &expr.kind {
            ExprKind::Choice(parts) => Some(vec![&parts.1, &parts.2]),
            ExprKind::Name(name) => self.scopes.values(here(), name),
            ExprKind::Attribute(inner, name) if is_self(inner) && self.path(inner).is_none() => {
                self.scopes.field_values(here(), name)
            }
            _ => None,
        };
        match assigned {
            Some(values) => values.into_iter().for_each(|value| self.add_meanings(value, hops + 1, found)),
            None => found.push(expr),
        }
    }
}

/// A namespace of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Module,
    Function(usize),
    Class(usize),
}

#[derive(Debug)]
enum Binding<'c, 's> {
    /// Something outside the project.
    Path(Rc<str>),
    /// What an expression is.
    Alias(&'c Expr<'s>),
    /// Something of the project, or unknown.
    Other,
}

#[derive(Debug)]
struct Scopes<'c, 's> {
    parents: FxHashMap<Key, Key>,
    tables: FxHashMap<Key, Table<'c, 's>>,
    /// What methods of a class assign to attributes of `self`, and where.
    fields: FxHashMap<(Key, &'s str), Vec<(Key, &'c Expr<'s>)>>,
    /// Modules outside the project that all names are imported from.
    stars: Vec<&'c str>,
    /// A name that nothing binds is the library of that name, if there is one.
    open_names: bool,
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
const MAX_HOPS: usize = 4;

/// A name that is bound more often is not followed.
const MAX_BINDINGS: usize = 6;

/// No name of a library is longer; a chain of a thousand calls is.
const MAX_LENGTH: usize = 200;

/// The namespace that code with this around it belongs to.
fn namespace(around: &[Ancestor<'_, '_>]) -> Key {
    let inner = around.iter().rev().find_map(|around| match around {
        Ancestor::Function(number) => Some(Key::Function(*number)),
        Ancestor::Class(number) => Some(Key::Class(*number)),
        _ => None,
    });
    inner.unwrap_or(Key::Module)
}

fn is_self(expr: &Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::Name("self"))
}

impl<'c, 's> Scopes<'c, 's> {
    /// A namespace begins, with its parameters in it.
    fn open(&mut self, inner: Key, outer: Key, parameters: &[Parameter<'s>]) {
        self.parents.insert(inner, outer);
        parameters.iter().for_each(|one| self.bind(inner, one.name, Binding::Other));
    }

    fn bind(&mut self, here: Key, name: &'s str, binding: Binding<'c, 's>) {
        let shared = self.tables.get(&here).is_some_and(|table| table.shared.contains(name));
        let table = self.tables.entry(if shared { Key::Module } else { here }).or_default();
        table.bindings.entry(name).or_default().push(binding);
    }

    fn bind_target(&mut self, here: Key, target: &'c Target<'s>) {
        match target {
            Target::Name(name, _) => self.bind(here, name, Binding::Other),
            Target::Sequence(targets) => targets.iter().for_each(|target| self.bind_target(here, target)),
            Target::Rest(target) => self.bind_target(here, target),
            Target::Attribute(..) | Target::Item(_) => {}
        }
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
    fn step(&mut self, here: Key, kind: &'c StatementKind<'s>) {
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

    fn import(&mut self, here: Key, import: &'c Import<'s>, outside: bool) {
        let path = |text: &str| if outside { Binding::Path(text.into()) } else { Binding::Other };
        match &import.names {
            ImportNames::Module(Some(bound)) => self.bind(here, bound, path(import.module)),
            ImportNames::Module(None) => {
                let first = import.module.split('.').next().unwrap_or(import.module);
                self.bind(here, first, path(first));
            }
            ImportNames::Names(names) => {
                for one in names {
                    self.bind(here, one.bound, path(&format!("{}.{}", import.module, one.name)));
                }
            }
            ImportNames::Star if outside => self.stars.push(import.module),
            // A module of the project hands on what it imports.
            ImportNames::Star => self.open_names = true,
        }
    }

    /// The class whose method a namespace is, or lies in.
    fn class_of(&self, here: Key) -> Option<Key> {
        let mut key = here;
        while !matches!(key, Key::Class(_)) {
            key = *self.parents.get(&key)?;
        }
        Some(key)
    }

    fn bind_field(&mut self, here: Key, name: &'s str, value: &'c Expr<'s>) {
        if let Some(class) = self.class_of(here) {
            self.fields.entry((class, name)).or_default().push((here, value));
        }
    }

    /// What is assigned to `self.name`, where that happens once, in a method or in the body of the class.
    fn field_value(&self, here: Key, name: &'s str) -> Option<&'c Expr<'s>> {
        let class = self.class_of(here)?;
        match self.fields.get(&(class, name)).map(Vec::as_slice) {
            Some([(_, value)]) => Some(value),
            Some(_) => None,
            None => {
                let is_own = self.tables.get(&class).is_some_and(|table| table.bindings.contains_key(name));
                is_own.then(|| self.value(class, name, 0)).flatten()
            }
        }
    }

    /// All that is assigned to `self.name`, where that is known and little.
    fn field_values(&self, here: Key, name: &'s str) -> Option<Vec<&'c Expr<'s>>> {
        let bound = self.fields.get(&(self.class_of(here)?, name)).filter(|all| all.len() <= MAX_BINDINGS)?;
        Some(bound.iter().map(|(_, value)| *value).collect())
    }

    /// What `self.name` stands for, when all that is assigned to it stands for the same.
    fn field(&self, here: Key, name: &'s str) -> Option<Rc<str>> {
        let bound = self.fields.get(&(self.class_of(here)?, name))?;
        let (first, rest) = bound.split_first().filter(|(_, rest)| rest.len() < MAX_BINDINGS)?;
        let path = self.path_of(first.0, first.1, 1)?;
        rest.iter().all(|(at, value)| self.path_of(*at, value, 1).as_ref() == Some(&path)).then_some(path)
    }

    /// The bindings of a name that code in a namespace sees, and the namespace that has them.
    fn find(&self, here: Key, name: &str) -> Option<(Key, &[Binding<'c, 's>])> {
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

    fn path(&self, here: Key, name: &str, hops: usize) -> Option<Rc<str>> {
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
    fn value(&self, here: Key, name: &str, hops: usize) -> Option<&'c Expr<'s>> {
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
    fn values(&self, here: Key, name: &str) -> Option<Vec<&'c Expr<'s>>> {
        let (_, bindings) = self.find(here, name).filter(|(_, all)| all.len() <= MAX_BINDINGS)?;
        let value = |binding: &Binding<'c, 's>| match binding {
            Binding::Alias(expr) => Some(*expr),
            _ => None,
        };
        bindings.iter().map(value).collect()
    }
}
