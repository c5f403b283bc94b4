//! What expressions stand for that is written elsewhere: a constant of another module, a setting of a class, an item of a
//! dictionary, what a function returns. Only what is written once, and changed nowhere that is looked at, is known.

mod fields;
mod functions;

use super::scopes::Binding;
use super::{Key, Names, is_self};
use crate::code::{
    Argument, Call, Code, Expr, ExprKind, Import, ImportNames, Statement, StatementKind, Target,
};
use crate::facts::{FileId, Span};
use elsa::FrozenMap;
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::cell::Cell;

/// What was looked up.
#[derive(Default)]
pub(super) struct Elsewhere {
    /// What expressions of this file stand for, by where they stand.
    values: FrozenMap<Span, Box<Option<Expr<'static>>>, FxBuildHasher>,
    /// How much text of other files was gone through for it.
    read: Cell<usize>,
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

/// A copy of a value for a place at which nothing is imported.
struct Rewriting {
    /// Where it is asked for.
    file: FileId,
    at: Span,
    /// Parts of it so far.
    parts: usize,
    /// Names, modules and classes that were gone through.
    hops: usize,
}

/// Longer values are not copied.
const MOST_PARTS: usize = 40;
/// So much text of other files is gone through for one file, in bytes.
const MOST_TEXT: usize = 2 << 20;
/// Values behind more names than this are not looked for.
const MOST_HOPS: usize = 8;
/// Keywords of calls that are kept in a copy.
const KEYWORDS: &[&str] = &["device", "dtype", "index", "type"];

impl<'c, 's> Names<'c, 's> {
    /// The value of a name, an attribute, an item or a call that is written somewhere else, as a copy: what lies outside the project
    /// goes by its whole name in it.
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
        let mut writing = Rewriting { file: self.file, at: expr.span, parts: 0, hops: 0 };
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
            // `os.environ["LOCAL_RANK"]`
            ExprKind::Item(parts) if self.path(&parts.0).is_some() => {
                let parts = (self.outside(&parts.0, writing)?, self.value(&parts.1, writing)?);
                ExprKind::Item(Box::new(parts))
            }
            ExprKind::Item(parts) => {
                return self.behind(writing, |names, writing| names.item_of(&parts.0, &parts.1, writing));
            }
            ExprKind::Call(call) => match self.path(&call.callee) {
                // A method of what another call makes: that call would be lost.
                Some(path) if path.contains("()") => return None,
                Some(path) => self.call_of(path, call, self.place_of(expr, writing), writing)?,
                None => return self.behind(writing, |names, writing| names.returned_by(call, writing)),
            },
            _ => return None,
        };
        Some(Expr { span: self.place_of(expr, writing), kind })
    }

    /// What is written in the same file stands where it stands there.
    fn place_of(&self, expr: &Expr<'_>, writing: &Rewriting) -> Span {
        if writing.file == self.file { expr.span } else { writing.at }
    }

    fn values(&self, exprs: &[Expr<'_>], writing: &mut Rewriting) -> Option<Vec<Expr<'static>>> {
        exprs.iter().map(|one| self.value(one, writing)).collect()
    }

    fn call_of(
        &self,
        path: &str,
        call: &Call<'_>,
        span: Span,
        writing: &mut Rewriting,
    ) -> Option<ExprKind<'static>> {
        let argument = |one: &Argument<'_>| {
            let name = match one.name {
                Some(name) => Some(*KEYWORDS.iter().find(|known| **known == name)?),
                None => None,
            };
            let value = self.value(&one.value, writing)?;
            (!one.unpacked).then_some(Argument { name, unpacked: false, value })
        };
        let arguments = call.arguments.iter().map(argument).collect::<Option<_>>()?;
        let callee = Expr { span, kind: ExprKind::Outside(path.to_owned().into()) };
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
        let read = self.elsewhere.read.get() + self.program.text_of(file).len();
        if !is_there || read > MOST_TEXT {
            return None;
        }
        self.elsewhere.read.set(read);
        let names = Names::of(self.program, file);
        // What it takes over from others may replace what it binds itself.
        (!names.scopes.open_names).then(|| look(&names)).flatten()
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

    fn outside(&self, expr: &Expr<'_>, writing: &Rewriting) -> Option<Expr<'static>> {
        // What an object holds that a call made is no value that could be told.
        let path = self.path(expr).filter(|path| !path.contains("()"))?.to_owned();
        Some(Expr { span: self.place_of(expr, writing), kind: ExprKind::Outside(path.into()) })
    }

    /// A constant of this module.
    fn constant(&self, name: &str, writing: &mut Rewriting) -> Option<Expr<'static>> {
        match self.bound_in(Key::Module, name)? {
            Binding::Alias(_) if self.program.sets_attribute(name) => None,
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
            Key::Class(class) => self.field_of_class(class, field, true, writing).flatten(),
            _ => None,
        }
    }
}

fn is_name(expr: &Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::Name(_))
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
