//! What expressions stand for that is written elsewhere: a constant of another module, a setting of a class, an item of a
//! dictionary, what a function returns. Only what is written once, and changed nowhere that is looked at, is known.

use super::scopes::Binding;
use super::{Key, Names, is_self};
use crate::code::{
    Argument, Block, Call, Code, Expr, ExprKind, Import, ImportNames, ParameterKind, Statement,
    StatementKind, Target,
};
use crate::facts::{FileId, Span};
use elsa::FrozenMap;
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;

/// What was looked up.
#[derive(Default)]
pub(super) struct Elsewhere {
    /// What expressions of this file stand for, by where they stand.
    values: FrozenMap<Span, Box<Option<Expr<'static>>>, FxBuildHasher>,
    /// Whole names.
    paths: FrozenMap<String, Box<str>, FxBuildHasher>,
}

impl Elsewhere {
    pub fn interned(&self, path: Cow<'_, str>) -> &str {
        let known = self.paths.get(path.as_ref());
        known.unwrap_or_else(|| self.paths.insert(path.to_string(), path.as_ref().into()))
    }
}

/// The name of something outside the project, and of what a call of it returns, where it is written in one piece.
pub(super) fn whole_path<'e>(expr: &'e Expr<'_>) -> Option<Cow<'e, str>> {
    match &expr.kind {
        ExprKind::Outside(path) => Some(path.as_ref().into()),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Outside(path) => Some(format!("{path}()").into()),
            _ => None,
        },
        _ => None,
    }
}

/// A value that is written anew for a place at which nothing is imported.
struct Rewriting {
    at: Span,
    /// Parts of it so far.
    parts: usize,
    /// Names, modules and classes that lie around what is written now.
    hops: usize,
}

/// Longer values are not written anew.
const MOST_PARTS: usize = 40;
/// Values behind more names than this are not looked for.
const MOST_HOPS: usize = 8;
/// Keywords of calls that are kept in what is written anew.
const KEYWORDS: &[&str] = &["device", "dtype", "index", "type"];

impl<'c, 's> Names<'c, 's> {
    /// What stands elsewhere for an expression that is no value by itself. What lies outside the project goes by its whole name there.
    pub(super) fn elsewhere(&self, expr: &Expr<'_>) -> Option<&Expr<'static>> {
        let may_be = match &expr.kind {
            ExprKind::Name(name) => {
                matches!(self.bound(expr.span, name), Some(Binding::Import(..) | Binding::Parameter(_)))
            }
            ExprKind::Attribute(inner, _) => is_name(inner) && self.path(expr).is_none(),
            ExprKind::Item(parts) => is_name(&parts.0),
            ExprKind::Call(call) => is_name(&call.callee) && self.path(&call.callee).is_none(),
            _ => false,
        };
        if !may_be {
            return None;
        }
        if let Some(known) = self.elsewhere.values.get(&expr.span) {
            return known.as_ref();
        }
        let mut writing = Rewriting { at: expr.span, parts: 0, hops: 0 };
        self.elsewhere.values.insert(expr.span, Box::new(self.value(expr, &mut writing))).as_ref()
    }

    /// What an expression of this file stands for, wherever that is written.
    fn value(&self, expr: &Expr<'_>, writing: &mut Rewriting) -> Option<Expr<'static>> {
        writing.parts += 1;
        if writing.parts > MOST_PARTS {
            return None;
        }
        let kind = match &expr.kind {
            ExprKind::None => ExprKind::None,
            ExprKind::Bool(value) => ExprKind::Bool(*value),
            ExprKind::Int(value) => ExprKind::Int(*value),
            ExprKind::Text(text) => ExprKind::Text(text.to_string().into()),
            ExprKind::Outside(path) => ExprKind::Outside(path.to_string().into()),
            ExprKind::Sequence(parts) => ExprKind::Sequence(self.values(parts, writing)?),
            ExprKind::Join(parts) => ExprKind::Join(self.values(parts, writing)?),
            ExprKind::All(parts) => ExprKind::All(self.values(parts, writing)?),
            ExprKind::Any(parts) => ExprKind::Any(self.values(parts, writing)?),
            ExprKind::Negate(inner) => ExprKind::Negate(Box::new(self.value(inner, writing)?)),
            ExprKind::Not(inner) => ExprKind::Not(Box::new(self.value(inner, writing)?)),
            ExprKind::Binary(operator, sides) => {
                let sides = (self.value(&sides.0, writing)?, self.value(&sides.1, writing)?);
                ExprKind::Binary(*operator, Box::new(sides))
            }
            ExprKind::Compare(comparison, sides) => {
                let sides = (self.value(&sides.0, writing)?, self.value(&sides.1, writing)?);
                ExprKind::Compare(*comparison, Box::new(sides))
            }
            ExprKind::Choice(parts) => {
                let (test, then) = (self.value(&parts.0, writing)?, self.value(&parts.1, writing)?);
                ExprKind::Choice(Box::new((test, then, self.value(&parts.2, writing)?)))
            }
            ExprKind::Mapping(items) => {
                let item = |(key, value): &(Option<Expr<'_>>, Expr<'_>)| {
                    let key = self.value(key.as_ref()?, writing)?;
                    Some((Some(key), self.value(value, writing)?))
                };
                ExprKind::Mapping(items.iter().map(item).collect::<Option<_>>()?)
            }
            ExprKind::Name(_) => {
                return self.behind(writing, |names, writing| names.value_of_name(expr, writing));
            }
            ExprKind::Attribute(object, field) => {
                return self.behind(writing, |names, writing| {
                    names.value_of_attribute(expr, object, field, writing)
                });
            }
            ExprKind::Item(parts) => {
                return self.behind(writing, |names, writing| names.item_of(&parts.0, &parts.1, writing));
            }
            ExprKind::Call(call) => match self.path(&call.callee) {
                Some(path) => self.call_of(path, call, writing)?,
                None => return self.behind(writing, |names, writing| names.returned_by(call, writing)),
            },
            _ => return None,
        };
        Some(Expr { span: writing.at, kind })
    }

    fn values(&self, exprs: &[Expr<'_>], writing: &mut Rewriting) -> Option<Vec<Expr<'static>>> {
        exprs.iter().map(|one| self.value(one, writing)).collect()
    }

    fn call_of(&self, path: &str, call: &Call<'_>, writing: &mut Rewriting) -> Option<ExprKind<'static>> {
        let argument = |one: &Argument<'_>| {
            let name = match one.name {
                Some(name) => Some(*KEYWORDS.iter().find(|known| **known == name)?),
                None => None,
            };
            let value = self.value(&one.value, writing)?;
            (!one.unpacked).then_some(Argument { name, unpacked: false, value })
        };
        let arguments = call.arguments.iter().map(argument).collect::<Option<_>>()?;
        let callee = Expr { span: writing.at, kind: ExprKind::Outside(path.to_owned().into()) };
        Some(ExprKind::Call(Box::new(Call { callee, arguments })))
    }

    /// Goes on behind a name, unless it lies behind too many.
    fn behind<R>(
        &self,
        writing: &mut Rewriting,
        look: impl FnOnce(&Self, &mut Rewriting) -> Option<R>,
    ) -> Option<R> {
        if writing.hops == MOST_HOPS {
            return None;
        }
        writing.hops += 1;
        let found = look(self, writing);
        writing.hops -= 1;
        found
    }

    /// Goes on in another file, where that binds the name itself.
    fn in_file<R>(
        &self,
        file: FileId,
        name: &str,
        look: impl FnOnce(&Names<'_, '_>) -> Option<R>,
    ) -> Option<R> {
        let is_bound = |step: &Statement<'_>| binds(self.program.code(file), step, name);
        let is_there = file != self.file && self.program.code(file).body.iter().any(is_bound);
        is_there.then(|| look(&Names::of(self.program, file))).flatten()
    }

    /// The only thing that a name is bound to which code at a place sees.
    fn bound(&self, at: Span, name: &str) -> Option<&Binding<'c, 's>> {
        self.bound_in(self.regions.holding(at), name)
    }

    fn bound_in(&self, here: Key, name: &str) -> Option<&Binding<'c, 's>> {
        match self.scopes.find(here, name)? {
            (_, [only]) => Some(only),
            _ => None,
        }
    }

    /// The module that an import takes a name from, or that the name stands for.
    fn module(&self, import: &Import<'_>, name: Option<&str>) -> Option<FileId> {
        self.program.module_behind(self.file, import, name)
    }

    fn value_of_name(&self, expr: &Expr<'_>, writing: &mut Rewriting) -> Option<Expr<'static>> {
        let ExprKind::Name(name) = expr.kind else { return None };
        match self.scopes.find(self.regions.holding(expr.span), name) {
            Some((_, [Binding::Alias(value)])) => self.value(value, writing),
            Some((_, [Binding::Import(import, Some(of))])) => {
                self.in_file(self.module(import, None)?, of, |other| other.constant(of, writing))
            }
            Some((_, [Binding::Parameter(function)])) => self.given(*function, name, writing),
            _ => self.outside(expr, writing),
        }
    }

    /// What a parameter is given by the only call of its function in this file, or its default where calls there are and none
    /// gives it.
    fn given(&self, function: usize, name: &str, writing: &mut Rewriting) -> Option<Expr<'static>> {
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
        for (_, call) in self.scopes.calls.iter().filter(|(name, _)| *name == called) {
            if call.arguments.iter().any(|one| one.unpacked) {
                return None;
            }
            let in_order = position.and_then(|at| call.arguments.get(at)).filter(|one| one.name.is_none());
            match in_order.or_else(|| call.arguments.iter().find(|one| one.name == Some(name))) {
                Some(one) if given.is_none() => given = Some(&one.value),
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

    fn outside(&self, expr: &Expr<'_>, writing: &Rewriting) -> Option<Expr<'static>> {
        // What an object holds that a call made is no value that could be told.
        let path = self.path(expr).filter(|path| !path.contains("()"))?.to_owned();
        Some(Expr { span: writing.at, kind: ExprKind::Outside(path.into()) })
    }

    /// A constant of this module.
    fn constant(&self, name: &str, writing: &mut Rewriting) -> Option<Expr<'static>> {
        match self.bound_in(Key::Module, name)? {
            Binding::Alias(value) => self.value(value, writing),
            Binding::Import(import, Some(of)) => self.behind(writing, |names, writing| {
                names.in_file(names.module(import, None)?, of, |other| other.constant(of, writing))
            }),
            _ => None,
        }
    }

    fn value_of_attribute(
        &self,
        expr: &Expr<'_>,
        object: &Expr<'_>,
        field: &str,
        writing: &mut Rewriting,
    ) -> Option<Expr<'static>> {
        if self.path(expr).is_some() {
            return self.outside(expr, writing);
        }
        let ExprKind::Name(name) = object.kind else { return None };
        let here = self.regions.holding(expr.span);
        if !is_self(object) {
            return self.field_of(here, name, field, writing);
        }
        match self.scopes.class_of(here)? {
            Key::Class(class) => self.field_of_class(class, field, true, writing),
            _ => None,
        }
    }

    /// `settings.DEVICE` of a module, `Settings.device` of a class, and of an object that is made of one.
    fn field_of(&self, here: Key, name: &str, field: &str, writing: &mut Rewriting) -> Option<Expr<'static>> {
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
            Binding::Class(class) => self.field_of_class(*class, field, false, writing),
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
            let code = names.program.code(names.file);
            let parameter = match names.scopes.fields_set(Key::Class(class), field) {
                [(Key::Function(function), Expr { kind: ExprKind::Name(name), .. })] => {
                    let plain = code.functions[*function].parameters.iter().skip(1);
                    plain.enumerate().find(|(_, parameter)| parameter.name == *name)
                }
                // It may be given in order.
                [] if call.arguments.iter().any(|one| one.name.is_none()) => return None,
                _ => None,
            };
            let (position, name) = match parameter {
                Some((position, parameter)) => (Some(position), parameter.name),
                None => (None, field),
            };
            let in_order = position.and_then(|at| call.arguments.get(at)).filter(|one| one.name.is_none());
            let by_name = || call.arguments.iter().find(|one| one.name == Some(name));
            match (in_order.or_else(by_name), parameter) {
                (Some(given), _) => self.value(&given.value, writing),
                (None, Some((_, parameter))) => names.value(parameter.default.as_ref()?, writing),
                (None, None) => names.field_of_class(class, field, true, writing),
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

    /// A field of a class, or of an object of it that is given none of its own.
    fn field_of_class(
        &self,
        class: usize,
        field: &str,
        of_object: bool,
        writing: &mut Rewriting,
    ) -> Option<Expr<'static>> {
        let key = Key::Class(class);
        if self.scopes.sets_attribute(field) {
            return None;
        }
        match self.scopes.fields_set(key, field) {
            [] => {}
            [(_, value)] if of_object => return self.value(value, writing),
            _ => return None,
        }
        match self.scopes.own(key, field) {
            Some([Binding::Alias(value)]) => self.value(value, writing),
            Some(_) => None,
            None => self.program.code(self.file).classes[class].bases.iter().find_map(|base| {
                self.behind(writing, |names, writing| {
                    names.with_class(base, |names, above| {
                        names.field_of_class(above, field, of_object, writing)
                    })
                })
            }),
        }
    }

    /// `SETTINGS["device"]` of a dictionary that is written once.
    fn item_of(
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

    /// What a function of the project returns that returns once.
    fn returned_by(&self, call: &Call<'_>, writing: &mut Rewriting) -> Option<Expr<'static>> {
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

fn is_name(expr: &Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::Name(_))
}

/// Whether two keys are the same.
fn is_same(one: &Expr<'_>, other: &Expr<'_>) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Text(one), ExprKind::Text(other)) => one == other,
        (ExprKind::Int(one), ExprKind::Int(other)) => one == other,
        _ => false,
    }
}

/// Whether a statement of a module binds a name.
fn binds(code: &Code<'_>, step: &Statement<'_>, name: &str) -> bool {
    match &step.kind {
        StatementKind::Assign { targets, .. } => {
            targets.iter().any(|target| matches!(target, Target::Name(bound, _) if *bound == name))
        }
        StatementKind::Define { function, .. } => code.functions[*function].name == name,
        StatementKind::DefineClass { class, .. } => code.classes[*class].name == name,
        StatementKind::Import(Import { names: ImportNames::Names(names), .. }) => {
            names.iter().any(|one| one.bound == name)
        }
        _ => false,
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
