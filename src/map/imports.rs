//! Which module imports which, when that happens, and what it leads to. Imports are read as they are written: of those that
//! functions run, the traces of programs say which ones happened while a module was imported.

mod graph;

pub(super) use graph::Graph;

use super::touchpoints::{Kind, Touch};
use super::{Part, PlaceText};
use crate::code::walk::{Ancestor, CodeNode as Seen, walk};
use crate::code::{Code, Expr, ExprKind, Import, ImportNames, Statement, StatementKind, Target as Bound};
use crate::facts::{FileId, Place};
use crate::program::trace::{EventKind, Frame, FrameId, Trace};
use crate::program::{Names, Program, Start};
use crate::sources::Sources;
use schemars::JsonSchema;
use serde::Serialize;

/// When an import happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImportKind {
    /// Whenever the module is imported.
    Eager,
    /// With the module, under a condition or where a failure is caught.
    Guarded,
    /// When a name of it is used: `lazy import`, `__getattr__` of a module.
    Lazy,
    /// When a function is called.
    Function,
    /// Never, when the program runs.
    TypeChecking,
    /// By a name that is a text.
    Dynamic,
}

/// One import, as it is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Edge {
    /// The module that imports.
    #[serde(flatten, serialize_with = "as_from")]
    #[schemars(with = "From")]
    pub from: PlaceText,
    /// The path of a module of the project, or the name of one outside.
    pub to: String,
    pub kind: ImportKind,
    /// It leads from the CPU part to the GPU part.
    pub crosses: bool,
    /// Who imports the module loads a GPU library by this import.
    pub loads_gpu_library: bool,
    #[serde(skip)]
    pub place: Place,
}

/// A place as an import has it.
#[derive(Serialize, JsonSchema)]
struct From {
    /// The module that imports.
    from: String,
    /// Of a notebook, in which lines count.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    /// 1-based.
    line: u32,
}

fn as_from<S: serde::Serializer>(spot: &PlaceText, serializer: S) -> Result<S::Ok, S::Error> {
    From { from: spot.path.clone(), cell: spot.cell, line: spot.line }.serialize(serializer)
}

/// One import, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub place: Place,
    pub to: Target,
    pub kind: ImportKind,
    /// Only where the file is the program that is started.
    pub only_as_main: bool,
}

/// What is imported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Target {
    File(FileId),
    /// A GPU library.
    Outside(String),
}

/// An import that ran while a module was imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Entered {
    pub place: Place,
    /// `None` for one outside of the project.
    pub module: Option<FileId>,
}

impl Found {
    pub fn is_gpu_library(&self) -> bool {
        matches!(self.to, Target::Outside(_))
    }

    pub fn touch(&self) -> Option<Touch> {
        let Target::Outside(name) = &self.to else { return None };
        let kind = match self.kind {
            ImportKind::Eager => Kind::ImportEager,
            ImportKind::Guarded => Kind::ImportGuarded,
            ImportKind::Lazy => Kind::ImportLazy,
            ImportKind::Function => Kind::ImportFunction,
            ImportKind::TypeChecking => Kind::ImportTypeChecking,
            ImportKind::Dynamic => Kind::ImportDynamic,
        };
        let text = format!("import {name} ({})", self.kind.word());
        Some(Touch { place: self.place, kind, name: name.clone(), text })
    }
}

impl ImportKind {
    pub fn word(self) -> &'static str {
        match self {
            ImportKind::Eager => "eager",
            ImportKind::Guarded => "guarded",
            ImportKind::Lazy => "lazy",
            ImportKind::Function => "function",
            ImportKind::TypeChecking => "type-checking",
            ImportKind::Dynamic => "dynamic",
        }
    }
}

/// The imports that ran while modules were imported, those in functions among them.
pub(super) fn entered_in(trace: &Trace, start: Start) -> impl Iterator<Item = Entered> {
    // There the file that the trace begins with is imported too.
    let only_imports = matches!(start, Start::CpuPart | Start::Modules);
    let is_module = |frame: &Frame| frame.function.is_none() && frame.parent.is_some();
    let at_import = move |frame: FrameId| only_imports || trace.outwards(frame).any(is_module);
    let modules = trace.frames.iter().filter_map(move |frame| {
        let site = frame.site.filter(|site| frame.function.is_none() && site.span.end > site.span.start)?;
        at_import(frame.parent?).then_some(Entered { place: site, module: Some(frame.file) })
    });
    let outside = trace.events.iter().filter(move |event| {
        matches!(event.what, EventKind::Import { .. }) && !event.in_child && at_import(event.frame)
    });
    modules.chain(outside.map(|event| Entered { place: event.place, module: None }))
}

/// The imports that are written in a file, of project modules and of GPU libraries.
pub(crate) fn edges_of(program: &Program<'_>, file: FileId) -> Vec<Found> {
    let code = program.code(file);
    let names = Names::of(program, file);
    let lazy = lazy_modules(program, file, code);
    let parents = program.parents(file);
    let mut found = Vec::new();
    walk(code, &mut |part, around| {
        let mut add = |span, to, kind| {
            let only_as_main = around.iter().any(|one| is_main_guard(one, program, file));
            found.push(Found { place: Place { file, span }, to, kind, only_as_main });
        };
        match part {
            Seen::Statement(Statement { kind: StatementKind::Import(import), span }) => {
                let is_lazy = import.lazy || lazy.contains(&import.module);
                let kind = if is_lazy { ImportKind::Lazy } else { kind_of(around, code, program, file) };
                let own = |target: &FileId| *target != file && !parents.contains(target);
                let targets = program.import_targets(file, import);
                if targets.is_empty() && import.level == 0 {
                    let library = library_of(program, file, import);
                    library.into_iter().for_each(|library| add(*span, Target::Outside(library), kind));
                }
                targets.into_iter().filter(own).for_each(|target| add(*span, Target::File(target), kind));
            }
            Seen::Expr(expr) => {
                let Some(module) = imported_by_name(expr, &names) else { return };
                if let Some(target) = program.module_named(file, &module) {
                    add(expr.span, Target::File(target), ImportKind::Dynamic);
                } else if let Some(library) = gpu_library(program, file, &module, &[]) {
                    add(expr.span, Target::Outside(library), ImportKind::Dynamic);
                }
            }
            _ => {}
        }
    });
    found.sort();
    found.dedup();
    found
}

/// `__lazy_modules__ = ["cupy"]`, where the project's Python knows that.
fn lazy_modules<'c>(program: &Program<'_>, file: FileId, code: &'c Code<'_>) -> Vec<&'c str> {
    if !program.knows_lazy_modules(file) {
        return Vec::new();
    }
    let declared = code.body.iter().find_map(|step| match &step.kind {
        StatementKind::Assign { targets, value: Some(value), .. } => {
            matches!(&targets[..], [Bound::Name("__lazy_modules__", _)]).then_some(value)
        }
        _ => None,
    });
    let Some(ExprKind::Sequence(names)) = declared.map(|value| &value.kind) else { return Vec::new() };
    let text = |name: &'c Expr<'_>| match &name.kind {
        ExprKind::Text(text) => Some(&**text),
        _ => None,
    };
    names.iter().filter_map(text).collect()
}

fn is_main_guard(around: &Ancestor<'_, '_>, program: &Program<'_>, file: FileId) -> bool {
    match around {
        Ancestor::Then(test) => {
            let text = program.text(Place { file, span: test.span });
            text.contains("__name__") && text.contains("__main__")
        }
        _ => false,
    }
}

/// When an import happens that stands there.
fn kind_of(around: &[Ancestor<'_, '_>], code: &Code<'_>, program: &Program<'_>, file: FileId) -> ImportKind {
    let text = |expr: &Expr<'_>| program.text(Place { file, span: expr.span });
    let mut kind = ImportKind::Eager;
    for one in around {
        match one {
            Ancestor::Then(test) if text(test).contains("TYPE_CHECKING") && !text(test).contains("not ") => {
                return ImportKind::TypeChecking;
            }
            Ancestor::Otherwise(test)
                if text(test).contains("TYPE_CHECKING") && text(test).contains("not ") =>
            {
                return ImportKind::TypeChecking;
            }
            Ancestor::Otherwise(test) if text(test).contains("TYPE_CHECKING") => {}
            Ancestor::Function(number) => {
                let is_lazy = code.functions.get(*number).is_some_and(|one| one.name == "__getattr__");
                kind = if is_lazy { ImportKind::Lazy } else { ImportKind::Function };
            }
            _ if kind != ImportKind::Eager => {}
            Ancestor::Then(_) | Ancestor::Otherwise(_) | Ancestor::Handler(..) | Ancestor::TryElse(_) => {
                kind = ImportKind::Guarded;
            }
            Ancestor::Try(step) => {
                if let StatementKind::Try { handlers, .. } = &step.kind
                    && !handlers.is_empty()
                {
                    kind = ImportKind::Guarded;
                }
            }
            Ancestor::With(Statement { kind: StatementKind::With { items, .. }, .. })
                if items.iter().any(|(item, _)| text(item).contains("suppress")) =>
            {
                kind = ImportKind::Guarded;
            }
            _ => {}
        }
    }
    kind
}

/// `importlib.import_module("a.b")`, `__import__("a")`
fn imported_by_name(expr: &Expr<'_>, names: &Names<'_, '_>) -> Option<String> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let path = names.path(&call.callee)?;
    if !matches!(path, "importlib.import_module" | "builtins.__import__") {
        return None;
    }
    match &names.meant(&call.arguments.first()?.value).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The GPU library that an import names.
fn library_of(program: &Program<'_>, file: FileId, import: &Import<'_>) -> Option<String> {
    let names: Vec<&str> = match &import.names {
        ImportNames::Names(names) => names.iter().map(|name| name.name).collect(),
        _ => Vec::new(),
    };
    gpu_library(program, file, import.module, &names)
}

/// The name of the GPU library that a module outside of the project is, or that is taken from it.
pub(super) fn gpu_library(
    program: &Program<'_>,
    file: FileId,
    module: &str,
    names: &[&str],
) -> Option<String> {
    let below = names.iter().map(|name| format!("{module}.{name}"));
    let below = below.filter(|dotted| program.is_gpu_module_by_itself(file, dotted));
    // `from numba import cuda` is about `numba.cuda`, and numba by itself is none.
    below.into_iter().next().or_else(|| program.is_gpu_module(file, module).then(|| module.to_owned()))
}

impl Edge {
    fn of(sources: &Sources, found: &Found, parts: (Part, Part), loads: bool) -> Edge {
        let to = match &found.to {
            Target::File(file) => sources.file(*file).name.clone(),
            Target::Outside(name) => name.clone(),
        };
        let from = PlaceText::of(sources, found.place);
        let crosses = parts.0 != Part::Gpu && parts.1 == Part::Gpu;
        Edge { from, to, kind: found.kind, crosses, loads_gpu_library: loads, place: found.place }
    }
}
