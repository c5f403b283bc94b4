//! Where programs start: scripts, `__main__` modules, test modules.

use super::modules::Modules;
use super::{Options, Program};
use crate::code::{Code, Comparison, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::FileId;
use crate::sources::{Language, Source, folder_of};
use serde::{Deserialize, Serialize};

/// How a program is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Start {
    /// `python path/to/file.py`: parents' `__init__` files do not run.
    Script,
    /// `python -m package.module`: they do.
    Module,
    /// A function that `[project.scripts]` names, in a module that is imported.
    Console,
    /// `pytest path/to/test_file.py`
    Tests,
    /// Not started, but looked at as if it were the first to be imported: the policy wants each file that
    /// touches the GPU to choose it itself.
    Imported,
    /// Not a program: code that somebody else imports and calls.
    Library,
    /// The modules of the CPU part are imported, one after the other.
    CpuPart,
    /// A module that no program was seen to import is imported.
    Modules,
    /// A script, job or service: [`crate::code::Unit`], by its number.
    Unit(usize),
    /// Python that a launcher hands to an interpreter: [`crate::code::Snippet`], by its number.
    Snippet(usize),
}

impl Start {
    /// Whether somebody starts it. The rest is code that no program ran, and the import of the CPU part.
    pub fn is_program(self) -> bool {
        !matches!(self, Start::Library | Start::Modules | Start::CpuPart)
    }

    /// Whether `__name__` is `"__main__"` in the file that is started.
    pub(super) fn is_main(self) -> bool {
        matches!(self, Start::Script | Start::Module | Start::Snippet(_))
    }

    /// The script whose folder Python puts on its path.
    pub(super) fn script(self, entry: FileId) -> Option<FileId> {
        matches!(self, Start::Script | Start::Tests | Start::Snippet(_)).then_some(entry)
    }
}

impl Program<'_> {
    /// The entry points that may come to what is reported, in the order of their files.
    pub fn entries(&self) -> Vec<(FileId, Start)> {
        let files = self.all_files().filter(|&file| self.relevance.leads(file));
        let imported = |file: FileId| {
            (self.asked_of(file).every_gpu_file && self.is_read(file)).then_some(Start::Imported)
        };
        let is_whole = |file| self.facts_of(file).units == 0 && self.facts_of(file).blocks.is_empty();
        let whole = files.clone().filter(|&file| is_whole(file));
        let whole = whole.filter_map(|file| Some((file, self.start_of(file).or_else(|| imported(file))?)));
        let blocks = |file: FileId| self.facts_of(file).blocks.iter().map(move |&number| (file, number));
        let blocks = files.flat_map(blocks).map(|(file, number)| (file, Start::Snippet(number)));
        whole.chain(blocks).collect()
    }

    /// Whether a file has tests, or sets them up.
    pub fn is_of_tests(&self, file: FileId) -> bool {
        self.start_of(file) == Some(Start::Tests) || self.name_of(file).ends_with("conftest.py")
    }

    /// The same, or whether it lies in a folder of tests: a script that tests use or run.
    pub fn lies_among_tests(&self, file: FileId) -> bool {
        let mut folders = folder_of(self.name_of(file)).split('/');
        self.is_of_tests(file) || folders.any(|folder| matches!(folder, "test" | "tests"))
    }

    /// How a file is started, when it is an entry point.
    pub fn start_of(&self, file: FileId) -> Option<Start> {
        let look = self.facts_of(file);
        if !look.is_read {
            return None;
        }
        if look.units > 0 {
            return Some(Start::Unit(0));
        }
        if let Some(&first) = look.blocks.first() {
            return Some(Start::Snippet(first));
        }
        let source = self.sources.file(file);
        if source.language == Language::Rust {
            let tests = look.is_tested.then_some(Start::Tests);
            return look.main_guard.then_some(Start::Script).or(tests);
        }
        if source.language == Language::Notebook {
            return look.has_body.then_some(Start::Script);
        }
        let name = file_name(source);
        // Scripts are named so too.
        if is_named_like_tests(name) && (look.has_tests || !look.main_guard) {
            return Some(Start::Tests);
        }
        if name == "conftest.py" {
            return None;
        }
        if !self.console_functions(file).is_empty() {
            return Some(Start::Console);
        }
        let in_package = self.modules.in_package(file);
        let as_module = in_package && (name == "__main__.py" || self.imports.is_relative(file));
        let started = if as_module { Start::Module } else { Start::Script };
        if look.main_guard || name == "__main__.py" {
            return Some(started);
        }
        // A module that others import is not one, whatever its first line says.
        let alone = !self.is_imported(file) && name != "__init__.py";
        let is_script = source.text.starts_with("#!") || (!in_package && look.has_effect);
        (alone && is_script).then_some(started)
    }

    /// The functions of a file that `[project.scripts]` names.
    pub(super) fn console_functions(&self, file: FileId) -> Vec<String> {
        if self.options.console_scripts.is_empty() {
            return Vec::new();
        }
        let dotted = self.dotted(file);
        let named = self.options.console_scripts.iter().filter(|(module, _)| *module == dotted);
        named.map(|(_, function)| function.clone()).collect()
    }

    /// What pytest sets before it collects a test module: the nearest file with settings for it, at or above the
    /// folder of the module.
    pub(super) fn before_tests(&self, test: FileId) -> Option<(FileId, usize)> {
        /// In the order in which pytest looks at those of one folder.
        const FILES: [&str; 7] = [
            "pytest.toml",
            ".pytest.toml",
            "pytest.ini",
            ".pytest.ini",
            "pyproject.toml",
            "tox.ini",
            "setup.cfg",
        ];
        let mut folder = self.name_of(test);
        while !folder.is_empty() {
            folder = folder_of(folder);
            let separator = if folder.is_empty() { "" } else { "/" };
            let found = FILES.iter().find_map(|name| {
                let file = self.imports.file_named(&format!("{folder}{separator}{name}"))?;
                Some((file, self.code_in_pieces(file).before_tests?))
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The `conftest.py` files that run before a test module, outermost first.
    pub(super) fn conftests(&self, test: FileId) -> Vec<FileId> {
        let name = &self.sources.file(test).name;
        let mut folders = vec![String::new()];
        folders.extend(name.match_indices('/').map(|(at, _)| name[..=at].to_owned()));
        folders.iter().filter_map(|folder| self.imports.file_named(&format!("{folder}conftest.py"))).collect()
    }
}

/// Whether a file in Python may be an entry point, whoever imports it.
pub(super) fn may_start(
    file: FileId,
    source: &Source,
    code: &Code<'_>,
    modules: &Modules,
    options: &Options,
) -> bool {
    let name = file_name(source);
    let is_console = || {
        let dotted = modules.dotted(file, &source.name);
        options.console_scripts.iter().any(|(module, _)| *module == dotted)
    };
    code.main_guard
        || !code.units.is_empty()
        || code.snippets.iter().any(|snippet| snippet.stands_alone)
        || name == "__main__.py"
        || is_named_like_tests(name)
        || source.text.starts_with("#!")
        || (!modules.in_package(file) && code.body.iter().any(has_effect))
        || is_console()
}

fn file_name(source: &Source) -> &str {
    source.name.rsplit('/').next().unwrap_or(&source.name)
}

fn is_named_like_tests(name: &str) -> bool {
    (name.starts_with("test_") && name.ends_with(".py")) || name.ends_with("_test.py")
}

/// Whether pytest finds something to run in a file. One whose own start makes a group of processes for its tests is a program for a
/// launcher: pytest would make none.
pub(super) fn has_tests(code: &Code<'_>) -> bool {
    let holds = code.body.iter().any(|step| match &step.kind {
        StatementKind::Define { function, .. } => code.functions[*function].name.starts_with("test_"),
        StatementKind::DefineClass { class, .. } => {
            let name = code.classes[*class].name;
            name.starts_with("Test") || ["Test", "Tests", "TestCase"].iter().any(|end| name.ends_with(end))
        }
        _ => false,
    });
    holds && !code.body.iter().any(starts_as_group)
}

/// `if __name__ == "__main__": init_distributed(); test_sum()`
fn starts_as_group(step: &Statement<'_>) -> bool {
    let StatementKind::Branch { test, then, .. } = &step.kind else { return false };
    let ExprKind::Compare(Comparison::Equal, sides) = &test.kind else { return false };
    let is_main = |side: &Expr<'_>| matches!(side.kind, ExprKind::Name("__name__"));
    if !is_main(&sides.0) && !is_main(&sides.1) {
        return false;
    }
    let mut calls = then.iter().filter_map(|step| match &step.kind {
        StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => match call.callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some(name),
            _ => None,
        },
        _ => None,
    });
    let makes_group = |name: &str| {
        ["init", "setup"].iter().any(|word| name.contains(word))
            && ["dist", "process_group"].iter().any(|word| name.contains(word))
    };
    calls.any(makes_group) && calls.any(|name| name.starts_with("test_"))
}

/// Whether a top-level statement does something when the file runs, beyond defining names.
pub(super) fn has_effect(step: &Statement<'_>) -> bool {
    match &step.kind {
        StatementKind::Import(_)
        | StatementKind::Define { .. }
        | StatementKind::DefineClass { .. }
        | StatementKind::Share(_) => false,
        StatementKind::Assign { targets, value, .. } => {
            let named = targets.iter().all(|target| matches!(target, Target::Name(..)));
            !named || value.as_ref().is_some_and(|value| !is_plain(value))
        }
        StatementKind::Branch { then, otherwise, .. } => then.iter().chain(otherwise).any(has_effect),
        StatementKind::Try { body, handlers, otherwise, finally } => {
            let handled = handlers.iter().flat_map(|handler| &handler.body);
            body.iter().chain(otherwise).chain(finally).chain(handled).any(has_effect)
        }
        StatementKind::Raise { .. } | StatementKind::Delete(_) => false,
        _ => true,
    }
}

/// Whether evaluating an expression only makes a value.
fn is_plain(value: &Expr<'_>) -> bool {
    /// Calls that do no more than that.
    const DEFINING: &[&str] =
        &["getLogger", "TypeVar", "NewType", "namedtuple", "ParamSpec", "compile", "Path"];
    match &value.kind {
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) => DEFINING.contains(name),
            _ => false,
        },
        ExprKind::Unknown(parts) | ExprKind::Sequence(parts) | ExprKind::Join(parts) => {
            parts.iter().all(is_plain)
        }
        ExprKind::Mapping(items) => items.iter().all(|(_, value)| is_plain(value)),
        ExprKind::Choice(_) | ExprKind::Comprehension(_) | ExprKind::All(_) | ExprKind::Any(_) => false,
        _ => true,
    }
}
