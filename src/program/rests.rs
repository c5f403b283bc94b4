//! What programs rest on: of each file that they had to do with the whole text, or what is in no function and the functions
//! that ran. Programs of one project rest on much the same, so each such part of a file is kept once.

use super::Program;
use super::earlier::Judged;
use super::pieces::Pieces;
use super::readings::Read;
use super::trace::Trace;
use crate::facts::FileId;
use crate::sources::Digest;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// A part of one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Part {
    pub file: FileId,
    /// The functions that ran, ascending.
    pub functions: Vec<u32>,
    is_whole: bool,
}

/// A part as it was.
pub(super) type Held = (Part, Digest);

impl Part {
    /// `text` is that of the whole file.
    pub fn digest(&self, text: Digest, pieces: &Pieces) -> Option<Digest> {
        if self.is_whole { Some(text) } else { pieces.with_bodies(&self.functions) }
    }
}

/// Numbers parts, the same once.
#[derive(Default)]
pub(super) struct Numbered {
    numbers: FxHashMap<Held, u32>,
    pub all: Vec<Held>,
}

impl Numbered {
    pub fn number(&mut self, held: Held) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(held).or_insert_with_key(|held| {
            self.all.push(held.clone());
            next
        })
    }
}

/// The parts that decided what was found in a program: first the files whose top level ran, in their order, then the others.
/// `read` is what was looked at. What a summary of an earlier program looked at is not seen there: it is what that program ran,
/// and the names that a star brings from files that need not run; for the rest, `read` has what any program looked at.
pub(super) fn parts_of(
    program: &Program<'_>,
    trace: &Trace,
    judged: &[impl Judged],
    read: &Read,
) -> Vec<Part> {
    let mut functions: FxHashMap<FileId, Vec<u32>> = FxHashMap::default();
    for &(file, number) in &trace.ran {
        functions.entry(file).or_default().push(number as u32);
    }
    // Where something lies is known by its place in the whole text.
    let told = judged.iter().flat_map(Judged::files);
    let whole: FxHashSet<FileId> = told.chain(read.whole.iter().copied()).collect();
    let units = trace.units.iter().chain(&trace.loaded).map(|(file, _)| *file);
    let sites = trace.frames.iter().flat_map(|frame| [frame.site, frame.statement]).flatten();
    let places = trace.events.iter().flat_map(|event| [event.place, event.statement]).chain(sites);
    let frames = trace.frames.iter().map(|frame| frame.file);
    let all = units.chain(places.map(|place| place.file)).chain(frames).chain(trace.entry);
    let read = read.pieces.iter().chain(&whole).chain(functions.keys()).copied();
    let mut others: FxHashSet<FileId> = all.chain(read).collect();
    let stars = others.iter().chain(&trace.entered).flat_map(|&file| &program.look(file).stars);
    let stars: Vec<FileId> = stars.copied().collect();
    others.extend(stars);
    let entered: FxHashSet<FileId> = trace.entered.iter().copied().collect();
    let mut others: Vec<FileId> = others.difference(&entered).copied().collect();
    others.sort();
    // The environment of what it launches tells by which places it was set.
    let launches = !trace.launches.is_empty();
    let part = |file: FileId| {
        let mut functions = functions.get(&file).cloned().unwrap_or_default();
        functions.sort_unstable();
        Part { file, functions, is_whole: launches || whole.contains(&file) }
    };
    trace.entered.iter().copied().chain(others).map(part).collect()
}
