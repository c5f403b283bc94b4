//! Where one file leads to, by the imports and the names of files that are written in it.

use super::text_imports::{TextImport, imports_in, quoted_in, words_in};
use crate::code::{Import, ImportNames};
use crate::facts::FileId;
use crate::keywords::Keywords;
use crate::program::file_facts::{imported_by_name, imports_by_name};
use crate::program::imports::targets;
use crate::program::modules::{ImportTarget, Modules};
use crate::sources::{IMPORTS_OWN, Language, Source, Sources, folder_of, normalised};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Where one file leads to. It depends on its text, and on the names of all files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ImportEdges {
    /// What runs as a part of it.
    pub parts: Vec<FileId>,
    /// What it may start as a program of its own.
    pub programs: Vec<FileId>,
    /// What it imports for type checkers alone.
    pub for_types: Vec<FileId>,
}

/// What a file in Python says where it starts programs, or imports by a name that is a text.
const STARTING: &[&str] = &[
    "subprocess",
    "os.system",
    "popen",
    "os.exec",
    "os.spawn",
    "runpy",
    "exec_module",
    "import_module",
    "__import__",
    "lazy_loader",
    "pytest_plugins",
    "get_ipython",
    "%run",
    "launch",
];

/// How the names of files end that hold settings: what a file in Python says where it reads or names one.
pub const SETTINGS_ENDINGS: &[&str] = &[".json", ".yaml", ".yml", ".toml", ".ini", ".cfg"];

static READS: LazyLock<Keywords> = LazyLock::new(|| Keywords::new(SETTINGS_ENDINGS));

static STARTS: LazyLock<Keywords> = LazyLock::new(|| Keywords::new(STARTING));

/// The files of a run by what others call them.
pub(super) struct Names<'s> {
    sources: &'s Sources,
    modules: &'s Modules,
    documents_run: bool,
    /// By the last part of their path.
    files: FxHashMap<&'s str, Vec<FileId>>,
    /// By their folder.
    conftests: FxHashMap<&'s str, FileId>,
    tests: Vec<FileId>,
    containers: Vec<FileId>,
    composes: Vec<FileId>,
    actions: Vec<FileId>,
    makefiles: Vec<FileId>,
    rust: Vec<FileId>,
    settings: Vec<FileId>,
}

impl<'s> Names<'s> {
    pub fn of(sources: &'s Sources, modules: &'s Modules, documents_run: bool) -> Names<'s> {
        let mut files: FxHashMap<&str, Vec<FileId>> = FxHashMap::default();
        let all = || sources.files.iter().enumerate().map(|(index, source)| (FileId(index as u32), source));
        for (file, source) in all() {
            files.entry(file_name(source)).or_default().push(file);
        }
        let conftests = files.get("conftest.py").into_iter().flatten();
        let conftests = conftests.map(|&file| (folder_of(&sources.file(file).name), file)).collect();
        let those = |wanted: &dyn Fn(&Source) -> bool| -> Vec<FileId> {
            all().filter(|(_, source)| wanted(source)).map(|(file, _)| file).collect()
        };
        Names {
            sources,
            modules,
            documents_run,
            files,
            conftests,
            tests: those(&is_test),
            composes: those(&is_compose),
            containers: those(&|source| source.language == Language::Dockerfile),
            actions: those(&|source| matches!(file_name(source), "action.yml" | "action.yaml")),
            makefiles: those(&|source| source.language == Language::Makefile),
            rust: those(&|source| source.language == Language::Rust),
            settings: those(&|source| source.language == Language::Dotenv),
        }
    }

    pub fn leads(&self, file: FileId) -> ImportEdges {
        let source = self.sources.file(file);
        match source.language {
            Language::Python | Language::Notebook => self.of_python(file, source),
            Language::Rust if says(source, "Command") => {
                let programs = self.of_launcher(file, source).programs;
                ImportEdges { parts: self.rust.clone(), programs, ..ImportEdges::default() }
            }
            Language::Rust => ImportEdges { parts: self.rust.clone(), ..ImportEdges::default() },
            Language::Markdown if self.documents_run => self.of_launcher(file, source),
            // Nothing that runs.
            Language::Markdown
            | Language::Requirements
            | Language::Dotenv
            | Language::Cache
            | Language::Unread => ImportEdges::default(),
            _ => self.of_launcher(file, source),
        }
    }

    fn of_python(&self, file: FileId, source: &Source) -> ImportEdges {
        let mut parts = self.modules.parents(file);
        let mut for_types = Vec::new();
        for TextImport { import, for_types: is_for_types } in imports_in(&source.text) {
            let found = targets(&import, file, self.modules);
            if is_for_types {
                for_types.extend(found);
                continue;
            }
            if found.is_empty() && import.level == 0 {
                self.add_from_anywhere(&import, &mut parts);
            }
            parts.extend(found);
        }
        if is_test(source) {
            parts.extend(self.conftests_above(source));
        }
        if says(source, "dotenv") {
            parts.extend(&self.settings);
        }
        if READS.are_in(&source.text) {
            parts.extend(self.settings_written(source));
        }
        if says(source, "hydra.main") || says(source, "from hydra import") {
            parts.extend(self.composed_below(source));
        }
        let mut programs = Vec::new();
        if source.language == Language::Notebook || STARTS.are_in(&source.text) {
            programs = self.written(file, source);
            for dotted in quoted_in(&source.text) {
                self.add_module(file, dotted, &mut programs);
                // What a package loads lazily is named from inside of it.
                let part = self.modules.child(ImportTarget::File(file), dotted);
                programs.extend(part.and_then(|part| part.file()));
            }
            if file_name(source) == "__init__.py" && IMPORTS_OWN.iter().any(|word| says(source, word)) {
                programs.extend(self.beside(source));
            }
            if imports_by_name(&source.text) {
                programs.extend(imported_by_name(file, source, &parts, self.modules));
            }
            // An import by a name in a text; what is a program beside it is parsed too.
            parts.extend(programs.iter().filter(|program| self.sources.file(**program).is_python()));
        }
        ImportEdges { parts, programs, for_types }
    }

    /// The modules in the folder of a package; none where they are too many for all of them to be meant.
    fn beside(&self, package: &Source) -> Vec<FileId> {
        const MOST: usize = 64;
        let folder = folder_of(&package.name);
        let is_part = |source: &Source| source.is_python() && folder_of(&source.name) == folder;
        let all = (0..).zip(&self.sources.files);
        let found: Vec<FileId> =
            all.filter(|(_, source)| is_part(source)).map(|(number, _)| FileId(number)).collect();
        if found.len() > MOST { Vec::new() } else { found }
    }

    fn of_launcher(&self, file: FileId, source: &Source) -> ImportEdges {
        let written = self.written(file, source);
        let (programs, mut parts): (Vec<_>, Vec<_>) =
            written.into_iter().partition(|file| self.sources.file(*file).is_python());
        // Those of one folder override each other without a word.
        if is_compose(source) {
            let lies_beside =
                |other: &&FileId| folder_of(&self.sources.file(**other).name) == folder_of(&source.name);
            parts.extend(self.composes.iter().filter(lies_beside));
        }
        ImportEdges { parts, programs, ..ImportEdges::default() }
    }

    /// The files of settings that words in a text may stand for.
    fn settings_written(&self, source: &Source) -> Vec<FileId> {
        let is_settings = |file: &&FileId| {
            use Language::{Ini, Json, Toml, Yaml};
            matches!(self.sources.file(**file).language, Ini | Json | Toml | Yaml)
        };
        let named = words_in(&source.text)
            .filter(|word| SETTINGS_ENDINGS.iter().any(|ending| word.ends_with(ending)));
        /// Of more files that have one name none is told by it.
        const MOST: usize = 32;
        let by_name = |word: &str| self.files.get(word.rsplit('/').next().unwrap_or(word));
        let mut found: Vec<FileId> = named
            .filter_map(by_name)
            .filter(|files| files.len() <= MOST)
            .flatten()
            .filter(is_settings)
            .copied()
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// The files below a folder of settings that `@hydra.main(config_path="conf")` names.
    fn composed_below(&self, source: &Source) -> Vec<FileId> {
        let text = source.text.as_str();
        let named = text.match_indices("config_path").filter_map(|(at, word)| {
            let rest = text[at + word.len()..].trim_start().strip_prefix('=')?.trim_start();
            let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            rest[1..].split(quote).next()
        });
        let folder = |path: &str| Some(format!("{}/", normalised(folder_of(&source.name), path)?));
        let folders: Vec<String> = named.filter_map(folder).collect();
        let is_below = |other: &Source| {
            other.language == Language::Yaml && folders.iter().any(|folder| other.name.starts_with(&**folder))
        };
        let all = self.sources.files.iter().enumerate();
        all.filter(|(_, other)| is_below(other)).map(|(index, _)| FileId(index as u32)).collect()
    }

    /// All files that words in a text may stand for.
    fn written(&self, file: FileId, source: &Source) -> Vec<FileId> {
        let mut found = Vec::new();
        // `[tool:pytest]`, `tool.pytest.ini_options`
        let is_settings = matches!(source.language, Language::Ini | Language::Toml);
        if is_settings && source.text.contains("pytest") {
            found.extend(&self.tests);
        }
        let mut before = "";
        for word in words_in(&source.text) {
            found.extend(self.files.get(word.rsplit('/').next().unwrap_or(word)).into_iter().flatten());
            if before == "-m" || word.contains('.') {
                self.add_module(file, word.split(':').next().unwrap_or(word), &mut found);
            }
            let many: &[FileId] = match word {
                "pytest" | "py.test" | "tox" => &self.tests,
                "make" | "gmake" => &self.makefiles,
                "docker" | "build" | "dockerfile" | "image" => &self.containers,
                "uses" => &self.actions,
                "cargo" => &self.rust,
                _ => &[],
            };
            found.extend(many);
            before = word;
        }
        found.sort();
        found.dedup();
        found
    }

    /// The modules on the way to a dotted name, and the files that may be its last part seen from elsewhere.
    fn add_module(&self, file: FileId, dotted: &str, found: &mut Vec<FileId>) {
        let mut parts = dotted.split('.');
        let Some(first) = parts.next().filter(|first| !first.is_empty()) else { return };
        let mut module = self.modules.absolute(Some(file), &[], file, first);
        while let Some(reached) = module {
            found.extend(reached.file());
            module = parts.next().and_then(|part| self.modules.child(reached, part));
        }
        let last = dotted.rsplit('.').next().unwrap_or(dotted);
        found.extend(self.files.get(format!("{last}.py").as_str()).into_iter().flatten());
        let mains = self.files.get("__main__.py").into_iter().flatten();
        let end = format!("{last}/__main__.py");
        found.extend(mains.filter(|main| self.sources.file(**main).name.ends_with(&end)));
    }

    /// What an import may lead to when a program changes where Python looks.
    fn add_from_anywhere(&self, import: &Import<'_>, found: &mut Vec<FileId>) {
        let mut parts = import.module.split('.');
        let first = parts.next().unwrap_or_default();
        let mut reached: Vec<ImportTarget> = self.modules.named(first).collect();
        let names = match &import.names {
            ImportNames::Names(names) => names.iter().map(|name| name.name).collect(),
            _ => Vec::new(),
        };
        let mut add =
            |reached: &[ImportTarget]| found.extend(reached.iter().filter_map(|module| module.file()));
        for part in parts {
            add(&reached);
            reached = reached.iter().filter_map(|module| self.modules.child(*module, part)).collect();
        }
        add(&reached);
        for name in names {
            let below: Vec<ImportTarget> =
                reached.iter().filter_map(|module| self.modules.child(*module, name)).collect();
            add(&below);
        }
    }

    /// The `conftest.py` of the folder of a file, and of those above it.
    fn conftests_above(&self, source: &'s Source) -> impl Iterator<Item = FileId> {
        let above = |folder: &&'s str| (!folder.is_empty()).then(|| folder_of(folder));
        let folders = std::iter::successors(Some(folder_of(&source.name)), above);
        folders.filter_map(|folder| self.conftests.get(folder).copied())
    }
}

fn says(source: &Source, word: &str) -> bool {
    memchr::memmem::find(source.text.as_bytes(), word.as_bytes()).is_some()
}

fn file_name(source: &Source) -> &str {
    source.name.rsplit('/').next().unwrap_or(&source.name)
}

pub(crate) fn is_compose(source: &Source) -> bool {
    source.language == Language::Yaml && file_name(source).contains("compose")
}

fn is_test(source: &Source) -> bool {
    let name = file_name(source);
    (name.starts_with("test_") && name.ends_with(".py")) || name.ends_with("_test.py")
}
