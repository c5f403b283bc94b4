//! What programs are known by from check to check, and what all of them rest on.

use crate::facts::FileId;
use crate::program::launches::Launched;
use crate::program::relevance::holds_for_all;
use crate::program::{Program, Start};
use crate::sources::{Digest, Language, Source};
use std::hash::Hash;

impl Program<'_> {
    /// What a program is known by from check to check.
    pub(super) fn key_of(&self, launched: &Launched<'_>) -> Digest {
        let &(file, start, _) = launched;
        let (left, others): (&[FileId], Option<Digest>) = match start {
            Start::Library => (&[file], None),
            Start::Modules => (&[file], Some(self.modules_left().1)),
            Start::CpuPart => (self.cpu_part(file), None),
            _ => return Digest::of(launched),
        };
        let ran = |file: FileId| {
            let functions = self.facts_of(file).gpu_functions.iter();
            let left: Vec<_> = functions.filter(|&&number| !self.function_ran(file, number)).collect();
            (file, self.ran_elsewhere(file), left)
        };
        Digest::of(&(launched, others, left.iter().map(|&file| ran(file)).collect::<Vec<_>>()))
    }

    /// All that a program can ask of files that it does not rest on.
    pub(crate) fn surface_of(&self) -> Digest {
        let files = || self.all_files();
        let about = |file: FileId| {
            let imports = &self.imports;
            let flags = [imports.may_affect_gpu(file), imports.loads_library(file), self.is_imported(file)];
            (flags, imports.is_relative(file), self.start_of(file), &self.facts_of(file).asks_for)
        };
        let holds = |source: &&Source| holds_for_all(source) || matches!(source.language, Language::Rust);
        let texts = self.sources.files.iter().filter(holds).map(|source| &source.text);
        let telling = files().map(|file| self.imports.telling(file));
        Digest::made_by(|hasher| {
            files().for_each(|file| about(file).hash(hasher));
            telling.for_each(|packages| packages.hash(hasher));
            texts.for_each(|text| text.hash(hasher));
            self.tests_run_in_parallel().hash(hasher);
            self.images().hash(hasher);
            self.versions.said_elsewhere().hash(hasher);
            // The order of its maps does not change in one build.
            format!("{:?}", self.options).hash(hasher);
        })
    }
}
