//! What a module does to CUDA when somebody imports it: questions at its top level, objects that it makes there, and
//! calls in what definitions evaluate.

use super::evaluate::{Scope, ScopeKind};
use super::schema::EventSelector;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Block, Code, Expr, ExprKind, Statement, StatementKind};
use crate::facts::{FileId, Place, Span};
use crate::program::Start;
use crate::program::knowledge::Does;
use crate::program::trace::{Event, EventId, EventKind};
use rustc_hash::FxHashMap;

/// Code that runs while a module is imported.
pub(super) struct AtImport {
    /// The expression of the module that leads to the event.
    pub site: Place,
    pub position: ImportTimePosition,
    statement: Place,
    /// It makes something that lives on the GPU, or that manages it.
    makes_object: bool,
    /// The module is imported, and not the file that was started.
    imported: bool,
}

/// Where in a module an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportTimePosition {
    Top,
    Default,
    Decorator,
    ClassBody,
}

impl ImportTimePosition {
    pub fn in_words(self) -> &'static str {
        match self {
            ImportTimePosition::Top => "at the top level",
            ImportTimePosition::Default => "in a default argument",
            ImportTimePosition::Decorator => "in a decorator",
            ImportTimePosition::ClassBody => "in the body of a class",
        }
    }
}

/// What people write where a function is defined, and whose answer nobody takes.
const MEANT_AT_DEFINITION: &str = "torch.compile";

impl Scope<'_> {
    /// Whether the event is what a rule about imports looks for. Each statement is one fault of a kind.
    pub(super) fn is_at_import(&self, wanted: EventSelector, id: EventId, event: &Event) -> bool {
        if !matches!(event.what, EventKind::Call { .. }) {
            return false;
        }
        let all = self.at_imports();
        let Some(found) = all.of_event(id).filter(|found| found.kind() == Some(wanted)) else { return false };
        let is_first = all.first_of(event, found.statement, wanted) == Some(id);
        // What is made from the answer says more than the question.
        let stronger = wanted == EventSelector::QueryAtImport
            && all.first_of(event, found.statement, EventSelector::ObjectAtImport).is_some();
        is_first && !stronger
    }

    /// Whether the module whose import leads to an event lies among tests, or is a program of its own, and nothing but tests imports
    /// it: what it makes is made for them.
    pub(super) fn is_among_tests(&self, id: EventId) -> bool {
        let Some(file) = self.at_imports().of_event(id).map(|found| found.site.file) else { return false };
        let lies = |file: FileId| self.program.lies_among_tests(file);
        // An example is a program that a test runs by importing it.
        let importers = self.program.importers(file);
        (lies(file) || self.program.start_of(file).is_some() && !importers.is_empty())
            && importers.iter().all(|importer| lies(importer.file))
    }

    /// How an event comes from the import of a module; `None` when it does not.
    fn at_import(&self, event: &Event) -> Option<AtImport> {
        let EventKind::Call { callee, does, .. } = &event.what else { return None };
        let asks = does.contains(&Does::Query);
        if callee == MEANT_AT_DEFINITION
            || event.only_if_called
            || event.in_child
            || !(asks || event.what.initialises_cuda())
        {
            return None;
        }
        let (mut site, mut statement) = (event.place, event.statement);
        let (mut constructs, mut deep) = (false, 0);
        let mut frames = self.trace.outwards(event.frame);
        let module = loop {
            let frame = frames.next()?;
            let Some(function) = &frame.function else { break frame };
            // What a constructor asks far below is about something else than the object.
            constructs |=
                (!asks || deep < 3) && matches!(function.as_str(), "__init__" | "__new__" | "__post_init__");
            deep += 1;
            (site, statement) = (frame.site?, frame.statement?);
        };
        let file = module.file;
        let start = self.program.start_of(file);
        let imported = self.program.is_imported(file);
        let is_library = !self.reads_command_line(file)
            && match start {
                Some(start) => imported && start != Start::Tests,
                None => {
                    imported
                        || !(self.is_script(file)
                            || makes_app(self.program.code(file))
                            || self.is_started_by_a_page(file))
                }
            };
        let started = module.parent.is_none() && self.kind == ScopeKind::Program;
        let name = self.program.name_of(file);
        let code = self.program.code(file);
        let imported = is_library && !started && !name.ends_with("conftest.py")
            || module.parent.is_none() && self.is_imported_by_workers(file, site.span);
        let told_to_skip = self.program.text(statement).contains("skip") && skips(code, site.span);
        // A decorator of the project that decides the same way.
        let helper_skips = || {
            self.program.text(event.statement).contains("skip")
                && skips(self.program.code_in_pieces(event.place.file), event.place.span)
        };
        if told_to_skip
            || asks && helper_skips()
            || site.file != file
            || !(imported || stands_in_a_default(code, site.span))
        {
            return None;
        }
        let position = position(code, site.span);
        let makes = |callee: &str| {
            let last = callee.rsplit('.').next().unwrap_or(callee);
            last.starts_with(|first: char| first.is_ascii_uppercase())
        };
        // What a constructor asks under a condition of its own makes no object that lives on the GPU.
        let makes_object =
            constructs && event.doubts == 0 || !asks && (does.contains(&Does::Allocate) || makes(callee));
        // Several fields that ask are one fault of their class.
        let class = || code.body.iter().find(|step| step.span.holds(site.span));
        if position == ImportTimePosition::ClassBody && !makes_object {
            statement.span = class().map_or(statement.span, |step| step.span);
        }
        Some(AtImport { site, statement, position, makes_object, imported })
    }
}

impl Scope<'_> {
    /// Whether the workers of a cluster run an expression again: each is a new process, which imports the script that starts the
    /// cluster before it has its mask. What stands below the guard for the main program it leaves out.
    fn is_imported_by_workers(&self, file: FileId, site: Span) -> bool {
        const CLUSTER: &str = "LocalCUDACluster(";
        let is_guard = |step: &Statement<'_>| {
            step.span.holds(site)
                && self.program.text(Place { file, span: step.span }).starts_with("if __name__")
        };
        self.program.text_of(file).contains(CLUSTER)
            && self.program.start_of(file) != Some(Start::Tests)
            && !self.program.code(file).body.iter().any(is_guard)
    }

    /// Whether a module reads the options of the command line at its top level: who imports it starts a program.
    fn reads_command_line(&self, file: FileId) -> bool {
        let reads = |step: &crate::code::Statement<'_>| {
            matches!(step.kind, StatementKind::Assign { .. } | StatementKind::Evaluate(_))
                && self.program.text(Place { file, span: step.span }).contains("parse_args()")
        };
        self.program.text_of(file).contains("parse_args()") && self.program.code(file).body.iter().any(reads)
    }

    /// Whether a page of the documentation says `python NAME` of a file.
    fn is_started_by_a_page(&self, file: FileId) -> bool {
        let name = self.program.name_of(file);
        let commands = ["python ", "python3 "].map(|python| format!("{python}{name}"));
        let is_page = |page: &FileId| {
            let page = self.program.name_of(*page);
            page.ends_with(".md") || page.ends_with(".rst")
        };
        [self.program.files_with("python "), self.program.files_with("python3 ")].iter().any(|pages| {
            pages.iter().copied().filter(is_page).any(|page| {
                let text = self.program.text_of(page);
                commands.iter().any(|command| text.contains(command))
            })
        })
    }

    /// Whether a file is a program, although it lies in a package: at its top level it takes the arguments of a command
    /// line, prints, ends the process, or works through something in a loop that uses a GPU, trains or tells of it.
    fn is_script(&self, file: FileId) -> bool {
        let says = |span: Span, words: &[&str]| {
            let text = self.program.text(Place { file, span });
            words.iter().any(|word| text.contains(word))
        };
        self.program.code(file).body.iter().any(|step| match &step.kind {
            StatementKind::Define { .. } | StatementKind::DefineClass { .. } => false,
            StatementKind::For { .. } | StatementKind::While { .. } => {
                says(step.span, &[".to(", ".cuda(", ".backward(", ".info(", "device=", "print("])
            }
            StatementKind::Evaluate(_) if says(step.span, &["print("]) => true,
            _ => says(step.span, &[".parse_args(", ".parse_known_args(", "sys.argv", "exit("]),
        })
    }
}

/// Whether the answer decides which tests run: `unittest.skipUnless(torch.cuda.is_available(), …)`.
fn skips(code: &Code<'_>, site: Span) -> bool {
    let mut skips = false;
    walk(code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) = part else { return };
        let (ExprKind::Name(callee) | ExprKind::Attribute(_, callee)) = &call.callee.kind else { return };
        skips |= span.holds(site) && matches!(*callee, "skipif" | "skipIf" | "skipUnless");
    });
    skips
}

/// How each event of a trace comes from the import of a module.
pub(super) struct AtImports {
    each: Vec<Option<AtImport>>,
    /// The first event of each kind that a statement of a module leads to in each file.
    first: FxHashMap<(FileId, Place, EventSelector), EventId>,
}

impl AtImports {
    pub fn of(scope: &Scope<'_>) -> Self {
        let events = &scope.trace.events;
        let each: Vec<_> = events.iter().map(|event| scope.at_import(event)).collect();
        let mut first = FxHashMap::default();
        for (id, (event, import)) in events.iter().zip(&each).enumerate() {
            if let Some(import) = import
                && let Some(kind) = import.kind()
            {
                let key = (event.statement.file, import.statement, kind);
                first.entry(key).or_insert(id as EventId);
            }
        }
        AtImports { each, first }
    }

    pub fn of_event(&self, id: EventId) -> Option<&AtImport> {
        self.each[id as usize].as_ref()
    }

    fn first_of(&self, event: &Event, statement: Place, kind: EventSelector) -> Option<EventId> {
        self.first.get(&(event.statement.file, statement, kind)).copied()
    }
}

impl AtImport {
    /// The fault that it is; `None` where nobody imports the module.
    fn kind(&self) -> Option<EventSelector> {
        let kind = match (self.position, self.makes_object) {
            (ImportTimePosition::Default | ImportTimePosition::Decorator, _)
            | (ImportTimePosition::ClassBody, false) => EventSelector::CallAtDefinition,
            (_, true) => EventSelector::ObjectAtImport,
            (ImportTimePosition::Top, false) => EventSelector::QueryAtImport,
        };
        (self.imported || self.position == ImportTimePosition::Default).then_some(kind)
    }
}

fn stands_in_a_default(code: &Code<'_>, span: Span) -> bool {
    let mut defaults = code.functions.iter().flat_map(|function| &function.parameters);
    defaults.any(|one| one.default.as_ref().is_some_and(|default| default.span.holds(span)))
}

/// Where an expression stands that runs while its module does.
fn position(code: &Code<'_>, span: Span) -> ImportTimePosition {
    if stands_in_a_default(code, span) {
        return ImportTimePosition::Default;
    }
    position_in(code, &code.body, span, ImportTimePosition::Top)
}

fn position_in(
    code: &Code<'_>,
    block: &Block<'_>,
    span: Span,
    around: ImportTimePosition,
) -> ImportTimePosition {
    let Some(step) = block.iter().find(|step| step.span.holds(span)) else { return around };
    match &step.kind {
        StatementKind::Define { .. } => ImportTimePosition::Decorator,
        StatementKind::DefineClass { class, decorators } => {
            if decorators.iter().any(|one| one.span.holds(span)) {
                return ImportTimePosition::Decorator;
            }
            position_in(code, &code.classes[*class].body, span, ImportTimePosition::ClassBody)
        }
        kind => {
            let blocks = kind.blocks();
            let inner = blocks.into_iter().find(|block| block.iter().any(|step| step.span.holds(span)));
            inner.map_or(around, |block| position_in(code, block, span, around))
        }
    }
}

/// Whether the top level makes the application of a server, which starts it by its name: `app = Flask(__name__)`. Where servers copy
/// themselves afterwards, that is another fault.
fn makes_app(code: &Code<'_>) -> bool {
    const APPS: &[&str] = &["Bottle", "FastAPI", "Flask", "Litestar", "Quart", "Sanic", "Starlette"];
    code.body.iter().any(|step| match &step.kind {
        StatementKind::Assign { value: Some(Expr { kind: ExprKind::Call(call), .. }), .. } => {
            matches!(call.callee.kind, ExprKind::Name(name) | ExprKind::Attribute(_, name) if APPS.contains(&name))
        }
        _ => false,
    })
}
