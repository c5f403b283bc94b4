//! The modules of a project that are GPU code, beside a part that runs without a GPU: those that import a GPU library, and that nothing
//! of this part leads to.

use crate::facts::FileId;
use crate::map::imports::{Found, ImportKind, Target, edges_of};
use crate::program::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Beyond that many names a list helps nobody.
const MOST: usize = 8;

/// Their names, a package where all that lies below it is such code; nothing where there are too many. `cpu_part` are files.
pub(super) fn of(program: &mut Program<'_>, cpu_part: &BTreeSet<FileId>) -> Vec<String> {
    program.until_loaded(|program| {
        let is_asked = |file: &FileId| {
            let source = program.sources.file(*file);
            source.reported && source.is_python() && program.is_read(*file) && !program.is_of_tests(*file)
        };
        let modules: BTreeMap<FileId, Vec<Found>> = program
            .all_files()
            .filter(is_asked)
            .map(|file| {
                let mut edges = edges_of(program, file);
                edges.retain(|edge| edge.kind != ImportKind::TypeChecking);
                (file, edges)
            })
            .collect();
        let reached = reached(program, &modules, cpu_part);
        let is_free = |file: &FileId| !reached.contains(file);
        let is_gpu_code = |(file, edges): (&FileId, &Vec<Found>)| {
            let loads = edges.iter().any(Found::is_gpu_library);
            (loads && is_free(file) && program.start_of(*file).is_none()).then(|| program.dotted(*file))
        };
        let gpu_code: BTreeSet<String> = modules.iter().filter_map(is_gpu_code).collect();
        let others: BTreeSet<String> = modules
            .keys()
            .map(|file| program.dotted(*file))
            .filter(|name| !gpu_code.contains(name))
            .collect();
        let in_use: BTreeSet<String> = reached.iter().map(|file| program.dotted(*file)).collect();
        let names: BTreeSet<String> = gpu_code.iter().map(|name| widest(name, &others, &in_use)).collect();
        if names.len() > MOST { Vec::new() } else { names.into_iter().collect() }
    })
}

/// What the files of the part lead to, with the packages around.
fn reached(
    program: &Program<'_>,
    modules: &BTreeMap<FileId, Vec<Found>>,
    cpu_part: &BTreeSet<FileId>,
) -> BTreeSet<FileId> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<FileId> = cpu_part.iter().copied().collect();
    while let Some(file) = pending.pop() {
        if reached.insert(file) {
            pending.extend(program.parents(file));
            let edges = modules.get(&file).into_iter().flatten();
            pending.extend(edges.filter_map(|edge| match edge.to {
                Target::File(target) => Some(target),
                Target::Outside(_) => None,
            }));
        }
    }
    reached
}

/// The package around a module that has nothing but such code and is not in use itself; else the module.
fn widest(name: &str, others: &BTreeSet<String>, in_use: &BTreeSet<String>) -> String {
    let mut widest = name;
    while let Some((package, _)) = widest.rsplit_once('.') {
        let has_others =
            others.iter().any(|other| other.strip_prefix(package).is_some_and(|rest| rest.starts_with('.')));
        if has_others || in_use.contains(package) {
            break;
        }
        widest = package;
    }
    widest.to_owned()
}
