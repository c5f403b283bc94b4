//! Who imports whom, and which files can matter at all: a file whose imports lead to nothing that touches
//! the environment or the GPU need not run.

use super::Options;
use super::file_facts::FileFacts;
use super::knowledge::{DriverContact, Knowledge};
use super::modules::{ImportTarget, Modules};
use crate::code::{Block, Code, Import, ImportNames, StatementKind, Target};
use crate::facts::FileId;
use crate::sources::{Language, Source, Sources};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

pub(super) struct Imports {
    /// For each file, those that import it or something on the way to it, in order.
    importers: Vec<Vec<FileId>>,
    relative: Vec<bool>,
    affects_gpu: Vec<bool>,
    /// Does something to the environment or a GPU itself, or imports something that is known.
    speaks: Vec<bool>,
    /// For each file, the packages outside that it imports and that decide what other imports do.
    telling: Vec<Vec<String>>,
    /// Loads a GPU library when it is imported, itself or through others.
    loads: Vec<bool>,
    /// A program that starts with it may have to do with a GPU.
    may_use_gpu: Vec<bool>,
    files: FxHashMap<String, FileId>,
}

/// Words of the environment and of GPUs. A file without one of them, and without a name that is known to reach
/// the driver, does nothing to either by itself.
const WORDS: &[&str] = &[
    "cuda",
    "CUDA",
    "Cuda",
    "gpu",
    "GPU",
    "Gpu",
    "environ",
    "putenv",
    "getenv",
    "setenv",
    "dotenv",
    // How processes are started is settled by the first of these.
    "set_start_method",
    "multiprocessing.Array",
    "multiprocessing.Lock",
    "multiprocessing.Manager",
    "multiprocessing.Queue",
    "multiprocessing.Value",
    // Which modules a program imports is decided there.
    "sys.path.insert",
    "sys.path.append",
];

/// A file without one of them, without a known library and without the name of a known variable does nothing to GPUs, even
/// where it speaks of them.
const GPU_WORDS: &[&str] = &[
    // Also where nothing is known of variables.
    "CUDA_",
    "nvidia-smi",
    "--gpus",
    "libcuda",
    "libnvidia",
    "nvcuda",
    // What a program loads may give it a mask.
    "dotenv",
    // What the processes of a training are told.
    "WORLD_",
    "MASTER_",
    "NCCL_",
];

/// What the name of a device or of a GPU holds.
static DEVICE_NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let names = AhoCorasick::builder().ascii_case_insensitive(true).build(["cuda", "gpu"]);
    names.expect("two words")
});

/// With these a file runs code that no import of it names.
const BY_NAME: &[&str] = &[
    "import_module",
    "__import__",
    "subprocess",
    "runpy",
    "exec(",
    "exec_module",
    "entry_points",
    "pkgutil",
];

static RUNS_BY_NAME: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(BY_NAME).expect("a few words"));

/// So many files import this library that its names are looked for instead.
const EVERYWHERE: &str = "torch";

impl Imports {
    pub fn new(sources: &Sources, looks: &[FileFacts]) -> Imports {
        let mut imports = Imports {
            importers: vec![Vec::new(); looks.len()],
            relative: looks.iter().map(|look| look.relative).collect(),
            affects_gpu: looks.iter().map(|look| look.affects_gpu).collect(),
            speaks: looks.iter().map(FileFacts::speaks).collect(),
            loads: looks.iter().map(|look| look.loads).collect(),
            may_use_gpu: looks.iter().map(|look| look.names_gpu).collect(),
            telling: looks.iter().map(|look| look.telling.clone()).collect(),
            files: FxHashMap::default(),
        };
        for (index, look) in looks.iter().enumerate() {
            let file = FileId(index as u32);
            imports.files.insert(sources.file(file).name.clone(), file);
            for target in &look.imports {
                let importers = &mut imports.importers[target.0 as usize];
                if importers.last() != Some(&file) {
                    importers.push(file);
                }
            }
        }
        let leading = importers_by_name(&imports.importers, looks);
        let leading = leading.as_ref().unwrap_or(&imports.importers);
        spread(&mut imports.affects_gpu, leading);
        spread(&mut imports.loads, leading);
        imports.spread_gpu_use(sources, looks);
        imports
    }

    /// What leads to a file that names GPUs may use one: imports, fixtures of the folder above, `__init__.py` of the packages
    /// above, programs that run others by name, and tests that settings give a mask.
    fn spread_gpu_use(&mut self, sources: &Sources, looks: &[FileFacts]) {
        if !self.may_use_gpu.contains(&true) {
            return;
        }
        // `[tool:pytest] env = …`
        let is_settings = |source: &Source| matches!(source.language, Language::Ini | Language::Toml);
        let mut files = sources.files.iter().zip(looks);
        let gives_to_tests = files.any(|(source, look)| is_settings(source) && look.names_gpu);
        for (mark, look) in self.may_use_gpu.iter_mut().zip(looks) {
            *mark |= look.runs_others || (gives_to_tests && look.has_tests);
        }
        spread(&mut self.may_use_gpu, &self.importers);
        let name_of = |file: usize| sources.files[file].name.as_str();
        let mut folders: FxHashSet<&str> = FxHashSet::default();
        for (file, _) in self.may_use_gpu.iter().enumerate().filter(|(_, marked)| **marked) {
            let (folder, name) = name_of(file).rsplit_once('/').unwrap_or(("", name_of(file)));
            if matches!(name, "conftest.py" | "__init__.py") {
                folders.insert(folder);
            }
        }
        if folders.is_empty() {
            return;
        }
        let above = |name: &str| {
            folders.contains("") || name.match_indices('/').any(|(at, _)| folders.contains(&name[..at]))
        };
        for (mark, source) in self.may_use_gpu.iter_mut().zip(&sources.files) {
            *mark |= above(&source.name);
        }
        spread(&mut self.may_use_gpu, &self.importers);
    }

    /// Whether a program that starts with this file may have to do with a GPU.
    pub fn may_use_gpu(&self, file: FileId) -> bool {
        self.may_use_gpu[file.0 as usize]
    }

    /// Whether a file imports a package somewhere, so that it is surely installed.
    pub fn needs(&self, file: FileId, package: &str) -> bool {
        self.telling[file.0 as usize].iter().any(|known| known == package)
    }

    /// The packages outside that it imports and that decide what other imports do.
    pub fn telling(&self, file: FileId) -> &[String] {
        &self.telling[file.0 as usize]
    }

    pub fn loads_library(&self, file: FileId) -> bool {
        self.loads[file.0 as usize]
    }

    pub fn may_affect_gpu(&self, file: FileId) -> bool {
        self.affects_gpu[file.0 as usize]
    }

    /// Whether a file does something to the environment or a GPU itself, or imports something that is known.
    pub fn speaks(&self, file: FileId) -> bool {
        self.speaks[file.0 as usize]
    }

    pub fn is_imported(&self, file: FileId) -> bool {
        self.importers_of(file).next().is_some()
    }

    /// The other files that import it, or something on the way to it.
    pub fn importers_of(&self, of: FileId) -> impl Iterator<Item = FileId> {
        self.importers[of.0 as usize].iter().copied().filter(move |&file| file != of)
    }

    pub fn is_relative(&self, file: FileId) -> bool {
        self.relative[file.0 as usize]
    }

    pub fn file_named(&self, name: &str) -> Option<FileId> {
        self.files.get(name).copied()
    }
}

/// Whether a text has a word with which a file runs code that no import of it names.
pub(super) fn runs_by_name(text: &str) -> bool {
    RUNS_BY_NAME.is_match(text)
}

/// Whether a text has a word for a GPU, whatever the case of its letters.
pub(super) fn names_gpu_device(text: &str) -> bool {
    DEVICE_NAMES.is_match(text)
}

/// Whether a text sets variables of the environment, whichever: `os.environ["A"] = 1`.
pub(super) fn sets_environment(text: &str) -> bool {
    let sets = |line: &str| {
        let Some((_, item)) = line.split_once("environ[") else { return false };
        item.split_once("] =").is_some_and(|(_, value)| !value.starts_with('='))
    };
    text.contains("environ") && text.lines().any(sets)
}

/// What makes a text one that may do something to the environment or a GPU.
#[derive(Debug)]
pub(super) struct Words {
    effects: AhoCorasick,
    gpu: AhoCorasick,
}

impl Words {
    pub fn of(knowledge: &Knowledge) -> &Words {
        knowledge.words.get_or_init(|| Words::new(knowledge))
    }

    fn new(knowledge: &Knowledge) -> Words {
        let all = WORDS.iter().copied().chain(knowledge.words_of(EVERYWHERE));
        // The longest, because the shorter ones are no whole names where it is none.
        // Most searches end at once, so it should be soon made.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let words = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).kind(kind).build(all);
        let variables = knowledge.variables.families();
        // `import_module("torch")`
        let libraries = knowledge.gpu_libraries().into_iter();
        let quoted = libraries.flat_map(|name| [format!("\"{name}\""), format!("'{name}'")]);
        let named = variables.into_iter().chain(quoted).chain(GPU_WORDS.iter().map(|&word| word.to_owned()));
        let gpu = AhoCorasick::builder().kind(kind).build(named);
        Words { effects: words.expect("a few words"), gpu: gpu.expect("a few words") }
    }

    /// Whether a text names something of GPUs that is no library, or a variable of a family that decides about them.
    pub fn name_gpu(&self, text: &str) -> bool {
        // `GLOBAL_` is none of `LOCAL_`.
        self.gpu
            .find_iter(text)
            .any(|found| !text[found.range()].ends_with('_') || !is_part(byte_before(text, found.start())))
    }

    /// Names have to be whole: `init` reaches the driver, and `__init__` does not.
    pub fn stand_in(&self, text: &str) -> bool {
        let mut from = 0;
        while let Some(found) = self.effects.find(Input::new(text).range(from..)) {
            let is_whole =
                !is_part(byte_before(text, found.start())) && !is_part(text.as_bytes().get(found.end()));
            if is_whole || WORDS.iter().any(|word| text[found.range()].starts_with(word)) {
                return true;
            }
            from = found.start() + 1;
        }
        false
    }
}

fn byte_before(text: &str, at: usize) -> Option<&u8> {
    at.checked_sub(1).and_then(|before| text.as_bytes().get(before))
}

/// Whether a byte is part of a name.
fn is_part(byte: Option<&u8>) -> bool {
    byte.is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// Who imports each file, with those that do it by names in texts; `None` where nobody does.
fn importers_by_name(importers: &[Vec<FileId>], looks: &[FileFacts]) -> Option<Vec<Vec<FileId>>> {
    let mut all = looks.iter().any(|look| !look.by_name.is_empty()).then(|| importers.to_vec())?;
    for (look, file) in looks.iter().zip((0..).map(FileId)) {
        look.by_name.iter().for_each(|target| all[target.0 as usize].push(file));
    }
    Some(all)
}

/// Whoever imports a marked file is marked.
fn spread(marks: &mut [bool], importers: &[Vec<FileId>]) {
    let mut pending: Vec<usize> = (0..marks.len()).filter(|&file| marks[file]).collect();
    while let Some(file) = pending.pop() {
        for importer in &importers[file] {
            let importer = importer.0 as usize;
            if !std::mem::replace(&mut marks[importer], true) {
                pending.push(importer);
            }
        }
    }
}

/// Whether importing something outside the project can change a verdict.
pub(super) fn matters(import: &Import<'_>, knowledge: &Knowledge, options: &Options) -> bool {
    let names: Vec<&str> = match &import.names {
        ImportNames::Names(names) => names.iter().map(|name| name.name).collect(),
        _ => Vec::new(),
    };
    let full = names.iter().map(|name| format!("{}.{name}", import.module));
    // Programs of any policy may come by.
    let forbidden = || options.asked.iter().flat_map(|asked| &asked.forbidden);
    let imports_matter = options.asked.iter().any(|asked| asked.imports_matter);
    std::iter::once(import.module.to_owned()).chain(full).any(|module| {
        let below =
            module.strip_prefix(EVERYWHERE).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        // The collector matters to tests only, and to those that touch the GPU.
        let may_act = knowledge.has_effects(&module) && !below && module != "gc";
        may_act
            || forbidden().any(|forbidden| module.starts_with(forbidden.as_str()))
            || knowledge.package(&module).is_some_and(|row| {
                row.contact == DriverContact::CudaInit
                    || !row.contact_in.is_empty()
                    || !row.sets.is_empty()
                    || !row.contact_if_installed.is_empty()
                    || (imports_matter && row.gpu_library)
                    || row
                        .imports
                        .iter()
                        .chain(row.imports_if_installed.values().flatten())
                        .any(|brought| forbidden().any(|forbidden| forbidden == brought))
            })
    })
}

/// Whether an import leads out of the project.
pub(super) fn is_outside(import: &Import<'_>, file: FileId, modules: &Modules) -> bool {
    // A module that is named like a library, and imports it: nobody imports himself.
    import.level == 0 && targets(import, file, modules).iter().all(|target| *target == file)
}

/// The project files that an import may run.
pub(super) fn targets(import: &Import<'_>, file: FileId, modules: &Modules) -> Vec<FileId> {
    targets_from(Some(file), import, file, modules)
}

/// The same in a program that is started by this script.
pub(super) fn targets_from(
    script: Option<FileId>,
    import: &Import<'_>,
    file: FileId,
    modules: &Modules,
) -> Vec<FileId> {
    let (mut targets, module) = module_from(script, import, file, modules);
    if let (Some(module), ImportNames::Names(names)) = (module, &import.names) {
        targets.extend(names.iter().filter_map(|name| modules.child(module, name.name)?.file()));
    }
    targets
}

/// The files that the path of an import runs, without the names that it takes from there, and the last of its modules.
pub(super) fn module_of(
    import: &Import<'_>,
    file: FileId,
    modules: &Modules,
) -> (Vec<FileId>, Option<ImportTarget>) {
    module_from(Some(file), import, file, modules)
}

/// The same in a program that is started by this script.
pub(super) fn module_from(
    script: Option<FileId>,
    import: &Import<'_>,
    file: FileId,
    modules: &Modules,
) -> (Vec<FileId>, Option<ImportTarget>) {
    let mut parts = import.module.split('.').filter(|part| !part.is_empty());
    let mut found = if import.level > 0 {
        modules.relative(file, import.level)
    } else {
        parts.next().and_then(|first| modules.absolute(script, &[], file, first))
    };
    let mut targets = Vec::new();
    while let Some(module) = found {
        targets.extend(module.file());
        match parts.next() {
            Some(part) => found = modules.child(module, part),
            None => return (targets, Some(module)),
        }
    }
    (targets, None)
}

pub(super) fn each_import<'c, 's>(block: &'c Block<'s>, visit: &mut impl FnMut(&'c Import<'s>)) {
    for step in block {
        match &step.kind {
            StatementKind::Import(import) => visit(import),
            kind => kind.blocks().into_iter().for_each(|block| each_import(block, visit)),
        }
    }
}

pub(super) fn names_defined<'c>(code: &'c Code<'_>) -> Vec<&'c str> {
    let mut names = Vec::new();
    collect_names(code, &code.body, &mut names);
    names
}

fn collect_names<'c>(code: &'c Code<'_>, block: &'c Block<'_>, names: &mut Vec<&'c str>) {
    for step in block {
        match &step.kind {
            StatementKind::Define { function, .. } => names.push(code.functions[*function].name),
            StatementKind::DefineClass { class, .. } => names.push(code.classes[*class].name),
            StatementKind::Assign { targets, .. } => {
                names.extend(targets.iter().filter_map(|target| match target {
                    Target::Name(name, _) => Some(*name),
                    _ => None,
                }))
            }
            StatementKind::Import(import) => match &import.names {
                ImportNames::Names(imported) => names.extend(imported.iter().map(|name| name.bound)),
                ImportNames::Module(bound) => names.extend(bound.or(import.module.split('.').next())),
                ImportNames::Star => {}
            },
            kind => kind.blocks().into_iter().for_each(|block| collect_names(code, block, names)),
        }
    }
}
