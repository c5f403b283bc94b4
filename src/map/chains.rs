//! The ways on which a module of the CPU part comes to a GPU library, by imports alone.

use super::PlaceText;
use super::imports::{Graph, ImportKind, Target};
use crate::facts::FileId;
use crate::program::{Program, Start};
use crate::sources::Sources;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// So many are told of a whole project. A library that a module of hundreds imports has thousands.
const MOST: usize = 2_000;

/// The shortest way from a module of the CPU part to a module that loads a GPU library.
#[derive(Debug, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
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

/// The shortest of each entry where there are too many, so that none is without, and how many are left out. `chains` are those
/// of one entry after the other, the shortest first.
pub(super) fn bounded(mut chains: Vec<Chain>) -> (Vec<Chain>, usize) {
    let all = chains.len();
    let counts: Vec<usize> =
        chains.chunk_by(|one, other| one.entry == other.entry).map(<[Chain]>::len).collect();
    let told = |each: usize| counts.iter().map(|count| each.min(*count)).sum::<usize>();
    let most = counts.iter().copied().max().unwrap_or(0);
    let each = (1..=most).rev().find(|&each| told(each) <= MOST).unwrap_or(1);
    let mut rank = 0;
    let mut last: Option<String> = None;
    chains.retain(|chain| {
        if last.as_ref() != Some(&chain.entry) {
            last = Some(chain.entry.clone());
            rank = 0;
        }
        rank += 1;
        rank <= each
    });
    chains.truncate(MOST);
    let left_out = all - chains.len();
    (chains, left_out)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn chains(counts: &[usize]) -> Vec<Chain> {
        let of = |(entry, &count): (usize, &usize)| {
            (0..count).map(move |at| Chain {
                entry: format!("entry{entry}.py"),
                module: at.to_string(),
                hops: Vec::new(),
            })
        };
        counts.iter().enumerate().flat_map(of).collect()
    }

    #[test]
    fn every_entry_keeps_its_shortest() {
        assert_eq!(bounded(chains(&[])).1, 0);
        let (kept, left_out) = bounded(chains(&[3, 1]));
        assert_eq!((kept.len(), left_out), (4, 0));
        let (kept, left_out) = bounded(chains(&[3_000, 1, 40]));
        assert_eq!((kept.len(), left_out), (2_000, 1_041));
        let of = |entry: &str| kept.iter().filter(|chain| chain.entry == entry).collect::<Vec<_>>();
        assert_eq!((of("entry0.py").len(), of("entry1.py").len(), of("entry2.py").len()), (1_959, 1, 40));
        assert_eq!(of("entry0.py")[0].module, "0");
        let (kept, left_out) = bounded(chains(&[2; 3_000]));
        assert_eq!((kept.len(), left_out, kept[1].entry.as_str()), (2_000, 4_000, "entry1.py"));
    }
}
