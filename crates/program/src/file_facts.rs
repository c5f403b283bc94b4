//! What each file says by itself, so that the others can be followed without its code: whom it imports, whether it starts, and
//! whether it may matter at all.

use super::Options;
use super::entries::{has_effect, has_tests};
use super::file_digests::FileDigests;
use super::imports::{Words, each_import, matters, module_of, runs_by_name, targets};
use super::knowledge::Knowledge;
use super::modules::{ImportTarget, Modules};
use super::relevance::{module_alone, quoted_in};
use crate::code::{Code, Expr, ExprKind, Import, ImportNames, Part, Statement, StatementKind};
use crate::facts::FileId;
use crate::sources::{IMPORTS_OWN, Source, quoted_names};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::cell::LazyCell;

/// What one file says by itself. It depends on its text, on the names of all files, and on the policy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileFacts {
    /// It could be read as its language.
    pub is_read: bool,
    /// Some of what it holds could not be read.
    pub has_unread: bool,
    /// It has comments for gpulint.
    pub has_comments: bool,
    pub relative: bool,
    pub affects_gpu: bool,
    /// It imports something that is known.
    pub knows: bool,
    /// It imports a library that may use a GPU, or names a variable that decides about GPUs.
    pub names_gpu: bool,
    /// It may run other code of the project than it imports by name: in another process, or by a name that is worked out.
    pub runs_others: bool,
    pub loads: bool,
    pub telling: Vec<String>,
    pub imports: Vec<FileId>,
    /// What it may import by names in texts: `import_module("." + name, __name__)`.
    pub by_name: Vec<FileId>,
    /// The files of which it imports all names.
    pub stars: Vec<FileId>,
    /// The packages that it asks for wherever it is installed.
    pub asks_for: Vec<String>,
    /// How many programs it starts or describes.
    pub units: usize,
    /// The blocks that are programs by themselves, by their numbers.
    pub blocks: Vec<usize>,
    pub main_guard: bool,
    pub has_body: bool,
    /// Something happens when it runs, beyond defining names.
    pub has_effect: bool,
    /// A test runner calls some of its functions.
    pub is_tested: bool,
    /// pytest finds something to run in it.
    pub has_tests: bool,
    pub starts_programs: bool,
    pub mentions_gpu: bool,
    /// The functions that may choose a GPU, by their numbers.
    pub gpu_functions: Vec<usize>,
    /// The digests of its parts, where what programs come to is kept.
    pub pieces: FileDigests,
}

impl FileFacts {
    /// Whether the file does something to the environment or a GPU itself, or imports something that is known.
    pub fn speaks(&self) -> bool {
        self.affects_gpu || self.knows
    }
}

/// What a look depends on beside the file.
#[derive(Clone, Copy)]
pub struct FileFactsReader<'a> {
    pub modules: &'a Modules,
    pub knowledge: &'a Knowledge,
    pub options: &'a Options,
    pub words: &'a Words,
    /// It is kept for later checks.
    pub is_kept: bool,
}

impl FileFactsReader<'_> {
    /// What a file says by itself; without code it could not be read.
    pub fn at(self, file: FileId, source: &Source, code: Option<&Code<'_>>) -> FileFacts {
        let Some(code) = code else { return FileFacts::default() };
        let FileFactsReader { modules, knowledge, options, words, is_kept } = self;
        // What the policy counts as GPU code is of interest whatever it holds.
        let name = &modules.dotted(file, &source.name);
        let mut cpu_parts = options.asked.iter().filter_map(|asked| asked.cpu_part.as_ref());
        let is_gpu_module = cpu_parts.any(|cpu| cpu.is_gpu_module(name));
        let mut look = FileFacts {
            affects_gpu: is_gpu_module || words.stand_in(&source.text),
            names_gpu: is_gpu_module || words.name_gpu(&source.text),
            ..about_start(code)
        };
        look.runs_others = look.starts_programs || runs_by_name(&source.text);
        if is_kept {
            look.pieces = FileDigests::of(source, code);
        }
        let changed = LazyCell::new(|| changed_names(&source.text));
        let mut visit = |import: &Import<'_>| {
            look.relative |= import.level > 0;
            let targets = targets(import, file, modules);
            let outside = targets.is_empty() && import.level == 0;
            let matters = outside && matters(import, knowledge, options);
            look.affects_gpu |= matters;
            look.names_gpu |= matters;
            let package = knowledge.package(import.module).filter(|_| outside);
            look.loads |= package.is_some_and(|row| row.gpu_library);
            let is_known = package.is_some() || (outside && knowledge.has_effects(import.module));
            look.knows |= is_known;
            // The collector matters to programs that use a GPU for other reasons.
            look.names_gpu |= is_known && import.module != "gc";
            if matches!(import.names, ImportNames::Star) {
                look.stars.extend(&targets);
            }
            // What it changes in a module of the project may be what somebody reads there.
            look.affects_gpu |= !targets.is_empty() && binds_one(import, &changed);
            look.imports.extend(targets);
            let root = import.module.split('.').next().unwrap_or_default();
            if outside && knowledge.is_telling(root) {
                look.telling.push(root.to_owned());
            }
        };
        each_import(&code.body, &mut visit);
        let crates = code.body.iter().filter_map(|step| match &step.kind {
            StatementKind::Module { path, .. } => modules.crates.file(&source.name, path),
            _ => None,
        });
        let crates: Vec<FileId> = crates.collect();
        code.functions.iter().for_each(|function| each_import(&function.body, &mut visit));
        code.classes.iter().for_each(|class| each_import(&class.body, &mut visit));
        look.imports.extend(crates);
        // What would come next does not run.
        look.affects_gpu |= code.body.iter().any(surely_raises);
        // `import_module("cupy")`
        if imports_by_name(&source.text) {
            for module in quoted_in(&source.text) {
                let import = module_alone(module);
                if targets(&import, file, modules).is_empty() && matters(&import, knowledge, options) {
                    look.affects_gpu = true;
                    look.names_gpu = true;
                    look.loads |= knowledge.package(module).is_some_and(|row| row.gpu_library);
                }
            }
            look.by_name = imported_by_name(file, source, &look.imports, modules);
        }
        // `lazy_loader.attach(…)` names the parts of the package as texts.
        if source.text.contains("lazy_loader") {
            let parts =
                quoted_in(&source.text).filter_map(|part| modules.child(ImportTarget::File(file), part));
            look.imports.extend(parts.filter_map(|part| part.file()));
        }
        look
    }
}

/// The modules that texts of a file name, and those of packages of which it names the modules in part, or that it asks for
/// what they hold. `imported` is what it imports in other ways.
pub(super) fn imported_by_name(
    file: FileId,
    source: &Source,
    imported: &[FileId],
    modules: &Modules,
) -> Vec<FileId> {
    /// Of more modules nobody knows that all are meant.
    const MOST: usize = 256;
    let says = |words: &[&str]| words.iter().any(|word| source.text.contains(word));
    let (mut found, mut packages) = (Vec::new(), Vec::new());
    for name in quoted_names(&source.text) {
        let module = name.trim_start_matches('.');
        let (level, names) = ((name.len() - module.len()) as u32, ImportNames::Module(None));
        let import = Import { level, module, names, lazy: false };
        let (files, last) = module_of(&import, file, modules);
        found.extend(files);
        packages.extend(last.filter(|_| name.ends_with('.')));
    }
    if source.name.ends_with("__init__.py") && says(IMPORTS_OWN) {
        packages.push(ImportTarget::File(file));
    }
    if says(&["iter_modules", "walk_packages"]) {
        packages.extend(imported.iter().map(|file| ImportTarget::File(*file)));
    }
    let walks = says(&["walk_packages"]);
    let (mut next, mut inside) = (0, Vec::new());
    while let Some(&package) = packages.get(next) {
        next += 1;
        let below = modules.children_of(package);
        if inside.len() + below.len() > MOST {
            break;
        }
        let below = below.iter().filter(|(name, _)| &**name != "__init__").map(|(_, module)| *module);
        for module in below {
            inside.extend(module.file());
            packages.extend(Some(module).filter(|module| walks && !packages.contains(module)));
        }
    }
    found.extend(inside);
    found
}

/// Whether a text may import modules by their names.
pub(super) fn imports_by_name(text: &str) -> bool {
    ["import_module", "__import__"].iter().any(|word| text.contains(word))
}

/// Whether a step of a file surely ends it, and who imports it: `raise`, `sys.exit()`.
pub(super) fn surely_raises(step: &Statement<'_>) -> bool {
    match &step.kind {
        StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => match &call.callee.kind {
            ExprKind::Name(name) => matches!(*name, "exit" | "quit"),
            ExprKind::Attribute(object, name) => match object.kind {
                ExprKind::Name("sys") => *name == "exit",
                ExprKind::Name("os") => matches!(*name, "_exit" | "abort"),
                _ => false,
            },
            _ => false,
        },
        StatementKind::Raise { .. } => true,
        _ => false,
    }
}

/// The names of which a text assigns an attribute, at the beginning of a line: `settings.MASK = "1"`, `settings.cards += ",2"`.
fn changed_names(text: &str) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    for line in text.lines() {
        let line = line.trim_ascii_start();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte > 127;
        let end = line.bytes().take_while(is_name).count();
        let Some(rest) = line[end..].strip_prefix('.').filter(|_| end > 0) else { continue };
        let target = rest.trim_start_matches(|one: char| one.is_alphanumeric() || matches!(one, '_' | '.'));
        let operator = target.trim_start_matches([' ', '\t']);
        let operator = operator.strip_prefix(['+', '-', '|']).unwrap_or(operator);
        if operator.strip_prefix('=').is_some_and(|value| !value.starts_with('=')) {
            names.insert(&line[..end]);
        }
    }
    names
}

/// Whether an import binds one of these names.
fn binds_one(import: &Import<'_>, names: &FxHashSet<&str>) -> bool {
    match &import.names {
        ImportNames::Star => false,
        ImportNames::Names(bound) => bound.iter().any(|one| names.contains(one.bound)),
        ImportNames::Module(bound) => {
            bound.or(import.module.split('.').next()).is_some_and(|bound| names.contains(bound))
        }
    }
}

fn about_start(code: &Code<'_>) -> FileFacts {
    let asked = code.requirements.iter().filter(|it| matches!(it.part, Part::Main | Part::Locked));
    let blocks = code.snippets.iter().enumerate().filter(|(_, snippet)| snippet.stands_alone);
    let functions = code.functions.iter().enumerate().filter(|(_, function)| function.mentions_gpu);
    FileFacts {
        is_read: true,
        has_unread: !code.unread.is_empty(),
        has_comments: !code.comments.is_empty(),
        asks_for: asked.map(|requirement| requirement.name.to_string()).collect(),
        units: code.units.len(),
        blocks: blocks.map(|(number, _)| number).collect(),
        main_guard: code.main_guard,
        has_body: !code.body.is_empty(),
        has_effect: code.body.iter().any(has_effect),
        is_tested: !code.tests.is_empty(),
        has_tests: has_tests(code),
        starts_programs: code.starts_programs,
        mentions_gpu: code.mentions_gpu,
        gpu_functions: functions.map(|(number, _)| number).collect(),
        ..FileFacts::default()
    }
}
