//! What the names in one file mean by its imports and assignments alone, wherever they stand: `torch.cuda.init` for
//! `c.init` behind `from torch import cuda as c`. Nothing runs for this, so it also speaks of code that nobody calls.

use super::Program;
use crate::code::walk::{Around, Part, walk};
use crate::code::{Expr, ExprKind, Import, ImportNames, Parameter, StepKind, Target};
use crate::facts::{FileId, Span};
use crate::sources::Language;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The meaning of the names of one file.
#[derive(Debug, Default)]
pub struct Names<'c, 's> {
    paths: FxHashMap<Span, Rc<str>>,
    values: FxHashMap<Span, &'c Expr<'s>>,
    /// What the names in each namespace were found to be.
    seen: FxHashMap<(Key, &'s str), Meaning<'c, 's>>,
}

/// What a name stands for outside the project, and what is assigned to it.
type Meaning<'c, 's> = (Option<Rc<str>>, Option<&'c Expr<'s>>);

impl<'c, 's> Names<'c, 's> {
    /// Looks the names of a file up.
    pub fn of(program: &'c Program<'s>, file: FileId) -> Names<'c, 's> {
        let code = program.code(file);
        let mut scopes = Scopes {
            parents: FxHashMap::default(),
            tables: FxHashMap::default(),
            fields: FxHashMap::default(),
            stars: Vec::new(),
            // The blocks of a document show a part of a program, mostly without its imports.
            excerpts: program.language_of(file) == Language::Markdown,
        };
        walk(code, &mut |part, around| {
            let here = namespace(around);
            match part {
                Part::Step(step) => match &step.kind {
                    StepKind::Import(import) => {
                        scopes.import(here, import, program.imports_outside(file, import))
                    }
                    StepKind::Define { function, .. } => {
                        scopes.bind(here, code.functions[*function].name, Binding::Other);
                        scopes.open(Key::Function(*function), here, &code.functions[*function].parameters);
                    }
                    StepKind::DefineClass { class, .. } => {
                        scopes.bind(here, code.classes[*class].name, Binding::Other);
                        scopes.open(Key::Class(*class), here, &[]);
                    }
                    StepKind::Assign { targets, value, annotated } => match (&targets[..], value) {
                        // A bare declaration binds nothing.
                        (_, None) if *annotated => {}
                        ([Target::Name(name, _)], Some(value)) => {
                            scopes.bind(here, name, Binding::Alias(value))
                        }
                        ([Target::Attribute(object, name)], Some(value)) if is_self(object) => {
                            scopes.bind_field(here, name, value)
                        }
                        (targets, _) => targets.iter().for_each(|target| scopes.bind_target(here, target)),
                    },
                    StepKind::Update { target, .. } | StepKind::For { target, .. } => {
                        scopes.bind_target(here, target)
                    }
                    StepKind::With { items, .. } => {
                        items.iter().filter_map(|(_, target)| target.as_ref()).for_each(|target| {
                            scopes.bind_target(here, target);
                        });
                    }
                    StepKind::Try { handlers, .. } => {
                        handlers.iter().filter_map(|handler| handler.name).for_each(|name| {
                            scopes.bind(here, name, Binding::Other);
                        });
                    }
                    StepKind::Match { arms, .. } => {
                        arms.iter()
                            .flat_map(|arm| &arm.binds)
                            .for_each(|name| scopes.bind(here, name, Binding::Other));
                    }
                    StepKind::Share(names) => scopes.share(here, names),
                    _ => {}
                },
                Part::Expr(expr) => match &expr.kind {
                    ExprKind::Lambda(function) => {
                        scopes.open(Key::Function(*function), here, &code.functions[*function].parameters);
                    }
                    ExprKind::Bind(name, value) => scopes.bind(here, name, Binding::Alias(value)),
                    ExprKind::Comprehension(comprehension) => {
                        comprehension.generators.iter().for_each(|one| scopes.bind_target(here, &one.target));
                    }
                    _ => {}
                },
                Part::Target(_) => {}
            }
        });
        let mut names = Names::default();
        walk(code, &mut |part, around| {
            if let Part::Expr(expr) = part {
                names.look_up(expr, namespace(around), &scopes);
            }
        });
        names
    }

    /// The dotted name outside the project that an expression stands for; `torch.device()` is what calling
    /// `torch.device` returns, and `builtins.int` what no import and no definition of the file binds.
    pub fn path(&self, expr: &Expr<'_>) -> Option<&str> {
        self.paths.get(&expr.span).map(|path| &**path)
    }

    /// What an expression stands for: that which is assigned to the name, where it is assigned once; else itself.
    pub fn meant<'e>(&'e self, expr: &'e Expr<'s>) -> &'e Expr<'s> {
        self.values.get(&expr.span).copied().unwrap_or(expr)
    }

    fn look_up(&mut self, expr: &'c Expr<'s>, here: Key, scopes: &Scopes<'c, 's>) -> Option<Rc<str>> {
        if let Some(known) = self.paths.get(&expr.span) {
            return Some(known.clone());
        }
        let path: Rc<str> = match &expr.kind {
            ExprKind::Name(name) => {
                let (path, value) = self
                    .seen
                    .entry((here, name))
                    .or_insert_with(|| (scopes.path(here, name, 0), scopes.value(here, name, 0)));
                if let Some(value) = value {
                    self.values.insert(expr.span, value);
                }
                path.clone()?
            }
            ExprKind::Outside(path) => path.as_ref().into(),
            ExprKind::Attribute(inner, name) => match self.look_up(inner, here, scopes) {
                Some(path) => format!("{path}.{name}").into(),
                None if is_self(inner) => {
                    if let Some(value) = scopes.field_value(here, name) {
                        self.values.insert(expr.span, value);
                    }
                    scopes.field(here, name)?
                }
                None => return None,
            },
            ExprKind::Call(call) => format!("{}()", self.look_up(&call.callee, here, scopes)?).into(),
            ExprKind::Await(inner) => self.look_up(inner, here, scopes)?,
            _ => return None,
        };
        if path.len() > MAX_LENGTH {
            return None;
        }
        self.paths.insert(expr.span, path.clone());
        Some(path)
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
    /// A name that nothing binds is the library of that name.
    excerpts: bool,
}

#[derive(Debug, Default)]
struct Table<'c, 's> {
    bindings: FxHashMap<&'s str, Vec<Binding<'c, 's>>>,
    /// Names of `global` and `nonlocal`.
    shared: FxHashSet<&'s str>,
}

/// Libraries that excerpts of programs use without their imports.
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
fn namespace(around: &[Around<'_, '_>]) -> Key {
    let inner = around.iter().rev().find_map(|around| match around {
        Around::Function(number) => Some(Key::Function(*number)),
        Around::Class(number) => Some(Key::Class(*number)),
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
            ImportNames::Star => {}
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

    /// What is assigned to `self.name`, where that happens once.
    fn field_value(&self, here: Key, name: &'s str) -> Option<&'c Expr<'s>> {
        match self.fields.get(&(self.class_of(here)?, name))?[..] {
            [(_, value)] => Some(value),
            _ => None,
        }
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
                _ if self.excerpts && LIBRARIES.contains(&name) => name.into(),
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
}
