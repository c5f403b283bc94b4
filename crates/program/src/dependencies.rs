//! What programs rest on: of each file that they had to do with the whole text, or what is in no function and the functions
//! that ran. Programs of one project rest on much the same, so each such part of a file is kept once.

use super::Program;
use super::bindings::Bindings;
use super::dependency_log::FilesRead;
use super::file_digests::FileDigests;
use super::launches::Launch;
use super::result_cache::ProgramFinding;
use super::trace::Trace;
use crate::facts::FileId;
use crate::sources::Digest;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// A part of one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct FilePart {
    pub file: FileId,
    /// The functions that ran, ascending.
    pub functions: Vec<u32>,
    /// So much of the text counts as it stands, up to all of it.
    until: u32,
}

const WHOLE: u32 = u32::MAX;

/// A part as it was.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct DigestedPart {
    pub part: FilePart,
    pub digest: Digest,
    /// What the module bound beside it.
    pub bindings: Option<Digest>,
}

impl FilePart {
    /// What its module binds with statements that do nothing else, where they are no part of it.
    pub fn bindings<'a>(&self, pieces: &'a FileDigests) -> Option<&'a Bindings> {
        (self.until != WHOLE).then_some(&pieces.bindings)
    }

    /// `whole` is the digest of the file.
    pub fn digest(&self, whole: Digest, text: &str, pieces: &FileDigests) -> Option<Digest> {
        match self.until {
            WHOLE => Some(whole),
            0 => pieces.with_bodies(&self.functions),
            until => Some(Digest::of(&(pieces.with_bodies(&self.functions)?, text.get(..until as usize)?))),
        }
    }
}

/// Numbers parts, the same once.
#[derive(Default)]
pub(super) struct PartNumbers {
    numbers: FxHashMap<DigestedPart, u32>,
    pub all: Vec<DigestedPart>,
}

impl PartNumbers {
    pub fn number(&mut self, held: DigestedPart) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(held).or_insert_with_key(|held| {
            self.all.push(held.clone());
            next
        })
    }
}

/// The parts that decided what was found in a program: first the files whose top level ran, in their order, then the others.
/// `read` is what was looked at, and the names that a star brings come from files that need not run.
pub(super) fn parts_of(
    program: &Program<'_>,
    trace: &Trace,
    judged: &[impl ProgramFinding],
    read: &FilesRead,
) -> Vec<FilePart> {
    let mut functions: FxHashMap<FileId, Vec<u32>> = FxHashMap::default();
    for &(file, number) in &trace.ran {
        functions.entry(file).or_default().push(number as u32);
    }
    // Where something lies is known by its place, which what is written before it decides.
    let mut until: FxHashMap<FileId, u32> = FxHashMap::default();
    let told =
        judged.iter().flat_map(ProgramFinding::places).chain(trace.launches.iter().flat_map(Launch::places));
    for (file, end) in told.map(|place| (place.file, place.span.end)).chain(read.until.iter().copied()) {
        let until = until.entry(file).or_default();
        *until = end.max(*until);
    }
    until.extend(read.whole.iter().map(|&file| (file, WHOLE)));
    let units = trace.units.iter().chain(&trace.loaded).map(|(file, _)| *file);
    let sites = trace.frames.iter().flat_map(|frame| [frame.site, frame.statement]).flatten();
    let places = trace.events.iter().flat_map(|event| [event.place, event.statement]).chain(sites);
    let frames = trace.frames.iter().map(|frame| frame.file);
    let all = units.chain(places.map(|place| place.file)).chain(frames).chain(trace.entry);
    let read = read.pieces.iter().chain(until.keys()).chain(functions.keys()).copied();
    let others = others(program, &trace.entered, all.chain(read).collect());
    let part = |file: FileId| {
        let mut functions = functions.get(&file).cloned().unwrap_or_default();
        functions.sort_unstable();
        FilePart { file, functions, until: until.get(&file).copied().unwrap_or_default() }
    };
    trace.entered.iter().copied().chain(others).map(part).collect()
}

/// The parts that decided what rules about written code find in a file.
pub(super) fn parts_of_file(program: &Program<'_>, file: FileId, read: &FilesRead) -> Vec<FilePart> {
    let read_to = read.until.iter().map(|(file, _)| file);
    let looked = read.whole.iter().chain(&read.pieces).chain(read_to).copied().collect();
    let others = others(program, &[file], looked);
    let part = |file: FileId| {
        let reads_text = read.whole.contains(&file) || read.until.iter().any(|(known, _)| *known == file);
        let only_pieces = read.pieces.contains(&file) && !reads_text;
        FilePart { file, functions: Vec::new(), until: if only_pieces { 0 } else { WHOLE } }
    };
    let whole = FilePart { file, functions: Vec::new(), until: WHOLE };
    [whole].into_iter().chain(others.into_iter().map(part)).collect()
}

/// What is rested on beside the first files, with the files whose names a star brings.
fn others(program: &Program<'_>, first: &[FileId], mut others: FxHashSet<FileId>) -> Vec<FileId> {
    let stars = others.iter().chain(first).flat_map(|&file| &program.facts_of(file).stars);
    let stars: Vec<FileId> = stars.copied().collect();
    others.extend(stars);
    first.iter().for_each(|file| _ = others.remove(file));
    let mut others: Vec<FileId> = others.into_iter().collect();
    others.sort_unstable();
    others
}
