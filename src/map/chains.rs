//! The ways on which a module of the CPU part comes to a GPU library, by imports alone.

use super::PlaceText;
use super::imports::{Graph, ImportKind, Target};
use crate::facts::FileId;
use crate::program::{Program, Start};
use crate::sources::Sources;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The shortest way from a module of the CPU part to a module that loads a GPU library.
#[derive(Debug, Serialize)]
pub struct Chain {
    /// The module that must run without a GPU.
    pub entry: String,
    /// The module that loads the library, by an import of its own.
    pub module: String,
    pub hops: Vec<Hop>,
}

/// A module of the CPU part.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub file: FileId,
    /// The `__init__` files that run before it.
    pub packages: Vec<FileId>,
    /// It is started as a program, and not imported.
    pub is_started: bool,
    /// Only the shortest way counts: every module is an entry.
    pub shortest: bool,
}

/// One import on the way.
#[derive(Clone, Debug, Serialize)]
pub struct Hop {
    #[serde(flatten)]
    pub spot: PlaceText,
    pub to: String,
    pub kind: ImportKind,
}

impl Entry {
    pub fn imported(program: &Program<'_>, file: FileId) -> Entry {
        Entry { file, packages: program.parents(file), is_started: false, shortest: false }
    }

    pub fn started(program: &Program<'_>, file: FileId) -> Entry {
        let packages = match program.start_of(file) {
            Some(Start::Module | Start::Console) => program.parents(file),
            _ => Vec::new(),
        };
        Entry { file, packages, is_started: true, shortest: false }
    }
}

/// One chain for each entry and each module that loads a GPU library and is loaded with it.
pub(super) fn of<'e>(
    sources: &Sources,
    graph: &Graph<'_>,
    entries: impl Iterator<Item = &'e Entry>,
    gpu_modules: &BTreeSet<FileId>,
) -> Vec<Chain> {
    entries.flat_map(|entry| from(sources, graph, entry, gpu_modules)).collect()
}

fn from(sources: &Sources, graph: &Graph<'_>, entry: &Entry, gpu_modules: &BTreeSet<FileId>) -> Vec<Chain> {
    let name = |file: FileId| sources.file(file).name.clone();
    // How each module is reached first; the packages around the entry are imported before it.
    let mut reached: BTreeMap<FileId, Option<(FileId, Hop)>> = BTreeMap::new();
    let mut pending: VecDeque<FileId> = VecDeque::new();
    for file in [entry.file].into_iter().chain(entry.packages.iter().copied()) {
        reached.insert(file, None);
        pending.push_back(file);
    }
    let mut chains = Vec::new();
    while let Some(file) = pending.pop_front() {
        let started = entry.is_started && file == entry.file;
        let mut library = None;
        for found in graph.runs_in(file, started) {
            let spot = PlaceText::of(sources, found.place);
            match &found.to {
                Target::File(module) if reached.contains_key(module) => {}
                Target::File(module) => {
                    let hop = Hop { spot, to: name(*module), kind: found.kind };
                    reached.insert(*module, Some((file, hop)));
                    pending.push_back(*module);
                }
                Target::Outside(to) => {
                    library.get_or_insert(Hop { spot, to: to.clone(), kind: found.kind });
                }
            }
        }
        if library.is_none() && !gpu_modules.contains(&file) {
            continue;
        }
        let mut hops: Vec<Hop> = library.into_iter().collect();
        let mut at = file;
        while let Some(Some((from, hop))) = reached.get(&at) {
            hops.insert(0, hop.clone());
            at = *from;
        }
        if !hops.is_empty() {
            chains.push(Chain { entry: name(entry.file), module: name(file), hops });
            if entry.shortest {
                break;
            }
        }
    }
    chains
}
