//! What a module does to CUDA when somebody imports it: questions at its top level, objects that it makes there, and
//! calls in what definitions evaluate.

use super::evaluate::{Scope, ScopeKind};
use super::schema::EventKind;
use crate::code::walk::{Part, walk};
use crate::code::{Block, Code, Expr, ExprKind, StepKind};
use crate::facts::{FileId, Place, Span};
use crate::program::Start;
use crate::program::knowledge::Does;
use crate::program::trace::{Event, EventId, What};

/// Code that runs while a module is imported.
pub(super) struct AtImport {
    /// The expression of the module that leads to the event.
    pub site: Place,
    pub position: Position,
    statement: Place,
    /// It makes something that lives on the GPU, or that manages it.
    makes_object: bool,
    /// The module is imported, and not the file that was started.
    imported: bool,
}

/// Where in a module an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Top,
    Default,
    Decorator,
    ClassBody,
}

impl Position {
    pub fn in_words(self) -> &'static str {
        match self {
            Position::Top => "at the top level",
            Position::Default => "in a default argument",
            Position::Decorator => "in a decorator",
            Position::ClassBody => "in the body of a class",
        }
    }
}

impl Scope<'_> {
    /// Whether the event is what a rule about imports looks for. Each statement is one fault of a kind.
    pub(super) fn is_at_import(&self, wanted: EventKind, id: EventId, event: &Event) -> bool {
        if !matches!(event.what, What::Call { .. }) {
            return false;
        }
        let all = self.at_imports();
        let Some(found) = all[id as usize].as_ref().filter(|found| found.is(wanted)) else { return false };
        let others = || self.trace.events.iter().zip(all);
        let same = |(other, import): (&Event, &Option<AtImport>), kind| {
            other.statement.file == event.statement.file
                && import
                    .as_ref()
                    .is_some_and(|import| import.statement == found.statement && import.is(kind))
        };
        let told = others().take(id as usize).any(|other| same(other, wanted));
        // What is made from the answer says more than the question.
        let stronger = wanted == EventKind::QueryAtImport
            && others().any(|other| same(other, EventKind::ObjectAtImport));
        !told && !stronger
    }

    /// How an event comes from the import of a module; `None` when it does not.
    pub(super) fn at_import(&self, event: &Event) -> Option<AtImport> {
        let What::Call { callee, does, .. } = &event.what else { return None };
        let asks = does.contains(&Does::Query);
        if event.only_if_called || event.in_child || !(asks || event.what.initialises_cuda()) {
            return None;
        }
        let (mut site, mut statement) = (event.place, event.statement);
        let mut constructs = false;
        let mut frames = self.trace.outwards(event.frame);
        let module = loop {
            let frame = frames.next()?;
            let Some(function) = &frame.function else { break frame };
            constructs |= matches!(function.as_str(), "__init__" | "__new__" | "__post_init__");
            (site, statement) = (frame.site?, frame.statement?);
        };
        let file = module.file;
        let start = self.program.start_of(file);
        let imported = self.program.is_imported(file);
        let is_library = match start {
            Some(start) => imported && start != Start::Tests,
            None => imported || !self.is_script(file),
        };
        let started = module.parent.is_none() && self.kind == ScopeKind::Program;
        let name = self.program.name_of(file);
        let imported = is_library && !started && !name.ends_with("conftest.py");
        let code = self.program.code(file);
        let told_to_skip = self.program.text(statement).contains("skip") && skips(code, site.span);
        if told_to_skip || site.file != file || !(imported || stands_in_a_default(code, site.span)) {
            return None;
        }
        let makes = |callee: &str| {
            let last = callee.rsplit('.').next().unwrap_or(callee);
            last.starts_with(|first: char| first.is_ascii_uppercase())
        };
        Some(AtImport {
            site,
            statement,
            position: position(code, site.span),
            makes_object: constructs || (!asks && (does.contains(&Does::Allocate) || makes(callee))),
            imported,
        })
    }
}

impl Scope<'_> {
    /// Whether a file is a program, although it lies in a package: at its top level it takes the arguments of a command
    /// line, prints, or works through something in a loop that uses a GPU.
    fn is_script(&self, file: FileId) -> bool {
        let says = |span: Span, words: &[&str]| {
            let text = self.program.text(Place { file, span });
            words.iter().any(|word| text.contains(word))
        };
        self.program.code(file).body.iter().any(|step| match &step.kind {
            StepKind::Define { .. } | StepKind::DefineClass { .. } => false,
            StepKind::For { .. } | StepKind::While { .. } => says(step.span, &[".to(", ".cuda(", "device="]),
            StepKind::Evaluate(_) if says(step.span, &["print("]) => true,
            _ => says(step.span, &[".parse_args(", ".parse_known_args(", "sys.argv"]),
        })
    }
}

/// Whether the answer decides which tests run: `unittest.skipUnless(torch.cuda.is_available(), …)`.
fn skips(code: &Code<'_>, site: Span) -> bool {
    let mut skips = false;
    walk(code, &mut |part, _| {
        let Part::Expr(Expr { kind: ExprKind::Call(call), span }) = part else { return };
        let (ExprKind::Name(callee) | ExprKind::Attribute(_, callee)) = &call.callee.kind else { return };
        skips |= holds(*span, site) && matches!(*callee, "skipif" | "skipIf" | "skipUnless");
    });
    skips
}

impl AtImport {
    fn is(&self, wanted: EventKind) -> bool {
        let kind = match (self.position, self.makes_object) {
            (Position::Default | Position::Decorator, _) | (Position::ClassBody, false) => {
                EventKind::CallAtDefinition
            }
            (_, true) => EventKind::ObjectAtImport,
            (Position::Top, false) => EventKind::QueryAtImport,
        };
        kind == wanted && (self.imported || self.position == Position::Default)
    }
}

fn stands_in_a_default(code: &Code<'_>, span: Span) -> bool {
    let mut defaults = code.functions.iter().flat_map(|function| &function.parameters);
    defaults.any(|one| one.default.as_ref().is_some_and(|default| holds(default.span, span)))
}

/// Where an expression stands that runs while its module does.
fn position(code: &Code<'_>, span: Span) -> Position {
    if stands_in_a_default(code, span) {
        return Position::Default;
    }
    position_in(code, &code.body, span, Position::Top)
}

fn position_in(code: &Code<'_>, block: &Block<'_>, span: Span, around: Position) -> Position {
    let Some(step) = block.iter().find(|step| holds(step.span, span)) else { return around };
    match &step.kind {
        StepKind::Define { .. } => Position::Decorator,
        StepKind::DefineClass { class, decorators } => {
            if decorators.iter().any(|one| holds(one.span, span)) {
                return Position::Decorator;
            }
            position_in(code, &code.classes[*class].body, span, Position::ClassBody)
        }
        kind => {
            let blocks = kind.blocks();
            let inner = blocks.into_iter().find(|block| block.iter().any(|step| holds(step.span, span)));
            inner.map_or(around, |block| position_in(code, block, span, around))
        }
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
