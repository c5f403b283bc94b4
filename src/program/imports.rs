//! Who imports whom, and which files can matter at all: a file whose imports lead to nothing that touches
//! the environment or the GPU need not run.

use super::Options;
use super::knowledge::{Contact, Knowledge};
use super::modules::{Found, Modules};
use crate::code::{Block, Code, Import, ImportNames, StepKind, Target};
use crate::facts::FileId;
use crate::sources::{Source, Sources};
use aho_corasick::packed::Searcher;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

pub(super) struct Imports {
    imported: Vec<bool>,
    relative: Vec<bool>,
    hot: Vec<bool>,
    files: FxHashMap<String, FileId>,
}

/// Words without which a file does nothing to the environment or the GPU by itself.
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
    "backward",
    "autograd",
    "autocast",
    "GradScaler",
    "DataParallel",
    "pin_memory",
    "accelerator",
    "func.grad",
    "torch.export",
    "torch.compile",
    "profiler",
    "checkpoint",
    "cudnn",
    "Adam",
    "RMSprop",
    "cupy",
    "jax",
    "tensorrt",
    "ExecutionProvider",
];

impl Imports {
    pub fn new(
        sources: &Sources,
        codes: &[Option<Code<'_>>],
        modules: &Modules,
        knowledge: &Knowledge,
        options: &Options,
    ) -> Imports {
        let looks: Vec<Look> = (sources.files.par_iter().zip(codes).enumerate())
            .map(|(index, (source, code))| match code {
                Some(code) => look(FileId(index as u32), source, code, modules, knowledge, options),
                None => Look::default(),
            })
            .collect();
        let mut imports = Imports {
            imported: vec![false; codes.len()],
            relative: looks.iter().map(|look| look.relative).collect(),
            hot: looks.iter().map(|look| look.hot).collect(),
            files: FxHashMap::default(),
        };
        let mut importers: Vec<Vec<FileId>> = vec![Vec::new(); codes.len()];
        for (index, look) in looks.into_iter().enumerate() {
            let file = FileId(index as u32);
            imports.files.insert(sources.file(file).name.clone(), file);
            for target in look.imports {
                imports.imported[target.0 as usize] |= target != file;
                importers[target.0 as usize].push(file);
            }
        }
        imports.spread_heat(&importers);
        imports
    }

    /// Whoever imports a hot file is hot.
    fn spread_heat(&mut self, importers: &[Vec<FileId>]) {
        let mut pending: Vec<usize> = (0..self.hot.len()).filter(|&file| self.hot[file]).collect();
        while let Some(file) = pending.pop() {
            for importer in &importers[file] {
                let importer = importer.0 as usize;
                if !std::mem::replace(&mut self.hot[importer], true) {
                    pending.push(importer);
                }
            }
        }
    }

    pub fn is_hot(&self, file: FileId) -> bool {
        self.hot[file.0 as usize]
    }

    pub fn is_imported(&self, file: FileId) -> bool {
        self.imported[file.0 as usize]
    }

    pub fn is_relative(&self, file: FileId) -> bool {
        self.relative[file.0 as usize]
    }

    pub fn file_named(&self, name: &str) -> Option<FileId> {
        self.files.get(name).copied()
    }
}

/// What one file says by itself.
#[derive(Default)]
struct Look {
    relative: bool,
    hot: bool,
    imports: Vec<FileId>,
}

fn look(
    file: FileId,
    source: &Source,
    code: &Code<'_>,
    modules: &Modules,
    knowledge: &Knowledge,
    options: &Options,
) -> Look {
    static HOT: LazyLock<Searcher> = LazyLock::new(|| Searcher::new(WORDS).expect("fixed words"));
    // What the policy counts as GPU code is of interest whatever it holds.
    let name = &modules.dotted(file, &source.name);
    let is_gpu_module = options.cpu_part.as_ref().is_some_and(|cpu| cpu.is_gpu_module(name));
    let mut look = Look { hot: is_gpu_module || HOT.find(&source.text).is_some(), ..Look::default() };
    let mut visit = |import: &Import<'_>| {
        look.relative |= import.level > 0;
        let targets = targets(import, file, modules);
        look.hot |= targets.is_empty() && import.level == 0 && matters(import, knowledge, options);
        look.imports.extend(targets);
    };
    each_import(&code.body, &mut visit);
    code.functions.iter().for_each(|function| each_import(&function.body, &mut visit));
    code.classes.iter().for_each(|class| each_import(&class.body, &mut visit));
    look
}

/// Whether importing something outside the project can change a verdict.
fn matters(import: &Import<'_>, knowledge: &Knowledge, options: &Options) -> bool {
    let names: Vec<&str> = match &import.names {
        ImportNames::Names(names) => names.iter().map(|name| name.name).collect(),
        _ => Vec::new(),
    };
    let full = names.iter().map(|name| format!("{}.{name}", import.module));
    std::iter::once(import.module.to_owned()).chain(full).any(|module| {
        // Everybody imports these, and the words above stand wherever they do something that matters.
        let common = matches!(&*module, "torch" | "gc") || module.starts_with("torch.");
        let may_act = knowledge.has_effects(&module) && !common;
        may_act
            || options.forbidden.iter().any(|forbidden| module.starts_with(forbidden.as_str()))
            || knowledge.package(&module).is_some_and(|row| {
                row.contact == Contact::CudaInit
                    || !row.contact_if_installed.is_empty()
                    || (options.imports_matter && row.gpu_library)
                    || row.imports.iter().any(|brought| options.forbidden.contains(brought))
            })
    })
}

/// The project files that an import may run.
fn targets(import: &Import<'_>, file: FileId, modules: &Modules) -> Vec<FileId> {
    let mut parts = import.module.split('.').filter(|part| !part.is_empty());
    let first = if import.level > 0 {
        modules.relative(file, import.level)
    } else {
        parts.next().and_then(|first| modules.absolute(Some(file), &[], file, first))
    };
    let mut found = first;
    let mut targets = Vec::new();
    while let Some(module) = found {
        if let Found::File(target) = &module {
            targets.push(*target);
        }
        match parts.next() {
            Some(part) => found = modules.child(&module, part),
            None => {
                if let ImportNames::Names(names) = &import.names {
                    targets.extend(names.iter().filter_map(|name| match modules.child(&module, name.name) {
                        Some(Found::File(target)) => Some(target),
                        _ => None,
                    }));
                }
                break;
            }
        }
    }
    targets
}

fn each_import<'c, 's>(block: &'c Block<'s>, visit: &mut impl FnMut(&'c Import<'s>)) {
    for step in block {
        match &step.kind {
            StepKind::Import(import) => visit(import),
            kind => blocks_in(kind).into_iter().for_each(|block| each_import(block, visit)),
        }
    }
}

/// The blocks that a compound statement holds.
fn blocks_in<'c, 's>(kind: &'c StepKind<'s>) -> Vec<&'c Block<'s>> {
    match kind {
        StepKind::Branch { then, otherwise, .. } => vec![then, otherwise],
        StepKind::Match { arms, .. } => arms.iter().map(|arm| &arm.body).collect(),
        StepKind::For { body, otherwise, .. } | StepKind::While { body, otherwise, .. } => {
            vec![body, otherwise]
        }
        StepKind::Try { body, handlers, otherwise, finally } => {
            let mut blocks = vec![body, otherwise, finally];
            blocks.extend(handlers.iter().map(|handler| &handler.body));
            blocks
        }
        StepKind::With { body, .. } => vec![body],
        _ => Vec::new(),
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
            StepKind::Define { function, .. } => names.push(code.functions[*function].name),
            StepKind::DefineClass { class, .. } => names.push(code.classes[*class].name),
            StepKind::Assign { targets, .. } => {
                names.extend(targets.iter().filter_map(|target| match target {
                    Target::Name(name, _) => Some(*name),
                    _ => None,
                }))
            }
            StepKind::Import(import) => match &import.names {
                ImportNames::Names(imported) => names.extend(imported.iter().map(|name| name.bound)),
                ImportNames::Module(bound) => names.extend(bound.or(import.module.split('.').next())),
                ImportNames::Star => {}
            },
            kind => blocks_in(kind).into_iter().for_each(|block| collect_names(code, block, names)),
        }
    }
}
