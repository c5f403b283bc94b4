//! Code that is read when somebody asks for it. Who finds a file without its code goes on without, the file is noted, and all
//! is done again when it was read: that happens once in a while, since mostly it is known before what will be asked for.

use super::Program;
use crate::code::Code;
use crate::facts::FileId;
use crate::sources::Source;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How the code of a file is read.
pub type Lowering = Box<dyn for<'x> Fn(&'x Source) -> Option<Code<'x>> + Send + Sync>;

/// What somebody asked for and is not there yet.
#[derive(Default)]
pub(super) struct MissingCode {
    files: Mutex<FxHashSet<FileId>>,
    /// How often.
    count: AtomicUsize,
}

impl Program<'_> {
    /// Notes that somebody asked for code that is not there, where it could be.
    pub(super) fn note_missing(&self, file: FileId) {
        if self.lowering.is_some() && self.facts_of(file).is_read {
            self.missing_code.count.fetch_add(1, Ordering::Relaxed);
            self.missing_code.files.lock().unwrap_or_else(PoisonError::into_inner).insert(file);
        }
    }

    /// How often somebody went on without the code of a file.
    pub(super) fn times_missed(&self) -> usize {
        self.missing_code.count.load(Ordering::Relaxed)
    }

    /// Does something until all code is there that it asks for.
    pub fn until_loaded<R>(&mut self, mut work: impl FnMut(&mut Self) -> R) -> R {
        let mut missed = 0;
        loop {
            let result = work(self);
            let missing =
                std::mem::take(&mut *self.missing_code.files.lock().unwrap_or_else(PoisonError::into_inner));
            if missing.is_empty() {
                return result;
            }
            // It may have been judged by code that was not there.
            self.left_alone.take();
            self.of_ranks.iter_mut().for_each(|names| _ = names.take());
            self.run_commands.iter_mut().for_each(|commands| _ = commands.take());
            self.commands_by_key.take();
            missed += 1;
            // Where all files are reported, reading the rest costs less than doing all of it a third time.
            let reads_all = missed > 1 && self.import_edges.is_empty();
            self.load(if reads_all { self.all_files().collect() } else { missing.into_iter().collect() });
        }
    }

    /// Does something that must not depend on which files are reported, since it is kept for other checks.
    pub fn for_all_checks<R>(&mut self, work: impl FnMut(&mut Self) -> R) -> R {
        self.is_narrow = self.lowering.is_none();
        let result = self.until_loaded(work);
        self.is_narrow = true;
        result
    }

    /// Reads the code of files, and of what runs as a part of them.
    pub(super) fn load_for(&mut self, files: Vec<FileId>) {
        if self.lowering.is_none() {
            return;
        }
        let mut all: FxHashSet<FileId> = files.iter().copied().collect();
        let mut pending = files;
        while let Some(file) = pending.pop() {
            let mut add = |part: FileId| {
                if all.insert(part) {
                    pending.push(part);
                }
            };
            match self.import_edges.get(file.0 as usize) {
                Some(leads) => leads.parts.iter().copied().for_each(&mut add),
                // Where all files are reported, nobody asked where they lead to.
                None => {
                    self.modules.parents(file).into_iter().for_each(&mut add);
                    self.facts_of(file).imports.iter().copied().for_each(&mut add);
                }
            }
        }
        self.load(all.into_iter().collect());
    }

    /// Reads the code of files.
    pub(super) fn load(&mut self, mut files: Vec<FileId>) {
        let Some(lowering) = &self.lowering else { return };
        files.retain(|&file| {
            self.codes[file.0 as usize].is_none() && self.file_facts[file.0 as usize].is_read
        });
        let sources = self.sources;
        let read = files.into_par_iter().map(|file| (file, lowering(sources.file(file))));
        for (file, code) in read.collect::<Vec<_>>() {
            self.codes[file.0 as usize] = code;
            // What cannot be read now is not asked for again.
            self.file_facts[file.0 as usize].is_read &= self.codes[file.0 as usize].is_some();
        }
    }
}
