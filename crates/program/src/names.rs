//! What the names in one file mean by its imports and assignments alone, wherever they stand: `torch.cuda.init` for
//! `c.init` behind `from torch import cuda as c`. Nothing runs for this, so it also speaks of code that nobody calls.

mod circles;
mod elsewhere;
mod regions;
mod scopes;

use super::Program;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::{FileId, Span};
use crate::sources::Language;
use circles::Ends;
use elsa::FrozenMap;
use elsewhere::Elsewhere;
use regions::{Regions, region};
use rustc_hash::FxBuildHasher;
use scopes::{Binding, MAX_HOPS, MAX_LENGTH, Scopes};
use std::rc::Rc;

/// The meaning of the names of one file. What its namespaces bind is known from the start; what a name stands for is looked
/// up when somebody asks, which few do of most names.
pub struct Names<'c, 's> {
    program: &'c Program<'s>,
    file: FileId,
    scopes: Scopes<'c, 's>,
    regions: Regions,
    /// What was looked up.
    paths: FrozenMap<Span, Rc<str>, FxBuildHasher>,
    elsewhere: Elsewhere,
    ends: Ends,
}

impl<'c, 's> Names<'c, 's> {
    /// Reads what the namespaces of a file bind.
    pub fn of(program: &'c Program<'s>, file: FileId) -> Names<'c, 's> {
        let code = program.code(file);
        let mut scopes = Scopes::default();
        // The blocks of a document show a part of a program, mostly without its imports.
        scopes.open_names = program.language_of(file) == Language::Markdown;
        let mut regions = Vec::new();
        walk(code, &mut |part, around| match part {
            CodeNode::Statement(step) => {
                let here = namespace(around);
                match &step.kind {
                    StatementKind::Import(import) => {
                        scopes.import(here, import, program.imports_outside(file, import))
                    }
                    StatementKind::Define { function, decorators } => {
                        let defined = &code.functions[*function];
                        // What a decorator makes of a function may give something else.
                        let is_plain = decorators.is_empty();
                        let binding = if is_plain { Binding::Function(*function) } else { Binding::Other };
                        scopes.bind(here, defined.name, binding);
                        scopes.open(Key::Function(*function), here, &defined.parameters);
                        regions.extend(region(&defined.body, Key::Function(*function)));
                    }
                    StatementKind::DefineClass { class, .. } => {
                        scopes.bind(here, code.classes[*class].name, Binding::Class(*class));
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
                ExprKind::Call(call) if let ExprKind::Name(name) = call.callee.kind => {
                    scopes.sets_any_attribute |= name == "setattr";
                    scopes.calls.push(call);
                }
                _ => {}
            },
            CodeNode::Target(_) => {}
        });
        let (paths, elsewhere, ends) = (FrozenMap::default(), Elsewhere::default(), Ends::default());
        Names { program, file, scopes, regions: Regions::of(regions), paths, elsewhere, ends }
    }

    /// The dotted name outside the project that an expression stands for; `torch.device()` is what calling
    /// `torch.device` returns, and `builtins.int` what no import and no definition of the file binds.
    pub fn path(&self, expr: &Expr<'_>) -> Option<&str> {
        // A copy of what is written elsewhere has no place of its own.
        if let Some(path) = elsewhere::whole_path(expr) {
            return Some(self.elsewhere.interned(path));
        }
        if let Some(known) = self.paths.get(&expr.span) {
            return Some(known);
        }
        let path: Rc<str> = match &expr.kind {
            ExprKind::Name(name) => self.scopes.path(self.regions.holding(expr.span), name, 0)?,
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

    /// What an expression stands for: that which is assigned to the name, where it is assigned once, and what stands elsewhere
    /// for a constant of another module, a setting of a class, or an item of a dictionary; else itself. What another file writes
    /// has the span of the expression that asks for it.
    pub fn meant<'e>(&'e self, expr: &'e Expr<'s>) -> &'e Expr<'s> {
        let meant = self.assigned(expr).unwrap_or(expr);
        self.elsewhere(meant).unwrap_or(meant)
    }

    /// What is assigned in this file to a name or an attribute of `self`, where that happens once. Who asks for the parts of
    /// that in turn comes to an end: `self.paused` of `self.paused = not self.paused` is what it was before, which is not known.
    fn assigned<'e>(&'e self, expr: &'e Expr<'s>) -> Option<&'e Expr<'s>> {
        let value = self.assigned_once(expr)?;
        let is_part = value.span.start <= expr.span.start && expr.span.end <= value.span.end;
        (!is_part && self.ends(value)).then_some(value)
    }

    fn assigned_once<'e>(&'e self, expr: &Expr<'s>) -> Option<&'c Expr<'s>> {
        let here = || self.regions.holding(expr.span);
        match &expr.kind {
            ExprKind::Name(name) => self.scopes.value(here(), name, 0),
            ExprKind::Attribute(inner, name) if is_self(inner) && self.path(inner).is_none() => {
                self.scopes.field_value(here(), name)
            }
            _ => None,
        }
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
            None => found.push(self.elsewhere(expr).unwrap_or(expr)),
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
