//! The imports of all files as a graph: what is loaded with a module, and what may be loaded later.

use super::{Edge, Entered, Found, ImportKind, Target};
use crate::facts::FileId;
use crate::map::Part;
use crate::sources::Sources;
use std::collections::{BTreeMap, BTreeSet};

/// The imports of all files.
pub struct Graph<'f> {
    all: &'f [Found],
    /// Whether each happens while its module is imported.
    at_import: Vec<bool>,
    /// The imports of each file, by their positions.
    of_file: BTreeMap<FileId, Vec<usize>>,
    /// Files whose import loads a GPU library.
    loading: BTreeSet<FileId>,
    /// Files from which some import, whenever it happens, leads to a GPU library.
    leading: BTreeSet<FileId>,
}

impl<'f> Graph<'f> {
    /// `entered`: the imports in functions that ran while a module was imported.
    pub fn of(all: &'f [Found], entered: &BTreeSet<Entered>, gpu_modules: &BTreeSet<FileId>) -> Graph<'f> {
        let ran: BTreeSet<(FileId, u32, Option<FileId>)> =
            entered.iter().map(|one| (one.place.file, one.place.span.start, one.module)).collect();
        let key = |found: &Found, module| (found.place.file, found.place.span.start, module);
        let runs = |found: &Found| match (&found.kind, &found.to) {
            _ if found.only_as_main => false,
            (ImportKind::Eager | ImportKind::Guarded, _) => true,
            (ImportKind::TypeChecking, _) => false,
            (_, Target::File(module)) => ran.contains(&key(found, Some(*module))),
            (_, Target::Outside(_)) => ran.contains(&key(found, None)),
        };
        let at_import: Vec<bool> = all.iter().map(runs).collect();
        let mut of_file: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
        for (at, found) in all.iter().enumerate() {
            of_file.entry(found.place.file).or_default().push(at);
        }
        let mut graph = Graph { all, at_import, of_file, loading: BTreeSet::new(), leading: BTreeSet::new() };
        graph.loading = graph.closure(gpu_modules, |at| graph.at_import[at]);
        graph.leading = graph.closure(gpu_modules, |at| all[at].kind != ImportKind::TypeChecking);
        graph
    }

    /// The files from which imports that count lead to a GPU library, or to one of these modules.
    fn closure(&self, gpu_modules: &BTreeSet<FileId>, counts: impl Fn(usize) -> bool) -> BTreeSet<FileId> {
        let mut importers: BTreeMap<FileId, Vec<FileId>> = BTreeMap::new();
        let mut pending: Vec<FileId> = gpu_modules.iter().copied().collect();
        for (_, found) in self.all.iter().enumerate().filter(|(at, _)| counts(*at)) {
            match found.to {
                Target::Outside(_) => pending.push(found.place.file),
                Target::File(module) => importers.entry(module).or_default().push(found.place.file),
            }
        }
        let mut reached = BTreeSet::new();
        while let Some(file) = pending.pop() {
            if reached.insert(file) {
                pending.extend(importers.get(&file).into_iter().flatten());
            }
        }
        reached
    }

    /// Whether the import of a file loads a GPU library.
    pub fn loads(&self, file: FileId) -> bool {
        self.loading.contains(&file)
    }

    /// Whether it does so by an import of its own.
    pub fn loads_itself(&self, file: FileId) -> bool {
        self.runs_in(file, true).any(Found::is_gpu_library)
    }

    /// What happens while a file is imported, or `started` as a program.
    pub fn runs_in(&self, file: FileId, started: bool) -> impl Iterator<Item = &'f Found> {
        let own =
            self.of_file.get(&file).into_iter().flatten().map(|at| (self.at_import[*at], &self.all[*at]));
        let is_main = move |found: &Found| {
            let at_once = matches!(found.kind, ImportKind::Eager | ImportKind::Guarded);
            started && found.only_as_main && at_once
        };
        own.filter(move |(at_import, found)| *at_import || is_main(found)).map(|(_, found)| found)
    }

    /// Those that lead to a GPU library, from files that are reported.
    pub fn edges(&self, sources: &Sources, parts: &BTreeMap<FileId, Part>) -> Vec<Edge> {
        let leads = |found: &Found| match found.to {
            Target::Outside(_) => true,
            Target::File(module) => self.leading.contains(&module) || parts[&module] == Part::Gpu,
        };
        let told = self.all.iter().enumerate();
        let told = told.filter(|(_, found)| sources.file(found.place.file).reported && leads(found));
        let edge = |(at, found): (usize, &Found)| {
            let (to, loads) = match found.to {
                Target::Outside(_) => (Part::Gpu, true),
                Target::File(module) => (parts[&module], self.loading.contains(&module)),
            };
            Edge::of(sources, found, (parts[&found.place.file], to), loads && self.at_import[at])
        };
        let mut edges: Vec<Edge> = told.map(edge).collect();
        edges.sort();
        edges.dedup();
        edges
    }
}
