//! Which files have a say in what is reported. Where few files of a large project are checked, most of the others
//! neither lead to them nor follow from what does, and are not parsed. Judged by the text: a file too many costs time,
//! and nothing else.

mod import_edges;
mod relevant_files;
mod text_imports;

pub use import_edges::ImportEdges;
pub(super) use import_edges::{SETTINGS_ENDINGS, is_compose};
pub use relevant_files::ReachableFiles;
pub(super) use text_imports::{module_alone, quoted_in};

use super::modules::Modules;
use crate::facts::FileId;
use crate::sources::{Language, Source, Sources};
use import_edges::Names;
use rayon::prelude::*;

/// What a run needs of each file, by its number.
pub struct Relevance {
    /// The file is parsed.
    parsed: Vec<bool>,
    /// It is a reported file that may hold findings of programs, or what it starts, imports or runs leads to one.
    leads: Vec<bool>,
    /// A file that is not parsed imports it.
    imported: Vec<bool>,
    /// Where few files are reported: which files lead to each.
    back: Vec<Vec<FileId>>,
    /// What reported launchers start.
    started: Vec<FileId>,
}

impl Relevance {
    /// Where all files are reported.
    pub fn everywhere(files: usize) -> Relevance {
        let (back, started) = (Vec::new(), Vec::new());
        Relevance {
            parsed: vec![true; files],
            leads: vec![true; files],
            imported: vec![false; files],
            back,
            started,
        }
    }

    /// Where few are, and it is known where each file leads to. `bearing`: those of the few that may hold findings of
    /// programs.
    pub fn of(sources: &Sources, leads: &[ImportEdges], bearing: Vec<bool>) -> Relevance {
        let reported: Vec<bool> = sources.files.iter().map(|source| source.reported).collect();
        let mut back: Vec<Vec<FileId>> = vec![Vec::new(); leads.len()];
        for (index, leads) in leads.iter().enumerate() {
            for target in leads.parts.iter().chain(&leads.programs) {
                back[target.0 as usize].push(FileId(index as u32));
            }
        }
        // What a launcher starts tells something about the launcher, and about settings that it loads.
        let loaded = |(marked, source): (bool, &Source)| marked && source.language != Language::Python;
        let loaded: Vec<bool> = reported.iter().copied().zip(&sources.files).map(loaded).collect();
        let mut own = closure(loaded, |file| &back[file]);
        own.iter_mut().zip(&reported).for_each(|(own, reported)| *own |= reported);
        let own = closure(own, |file| &leads[file].parts);
        let starting = leads.iter().zip(&own).filter(|(_, own)| **own);
        let started: Vec<FileId> = starting.flat_map(|(leads, _)| &leads.programs).copied().collect();
        let quiet = reported.iter().zip(&bearing).map(|(&reported, &bearing)| reported && !bearing);
        let quiet: Vec<usize> = quiet.enumerate().filter(|(_, quiet)| *quiet).map(|(file, _)| file).collect();
        let leading = leading_to(bearing, &back, &started);
        let mut parsed = leading.clone();
        for (parsed, source) in parsed.iter_mut().zip(&sources.files) {
            *parsed |= source.reported || holds_for_all(source);
        }
        let mut parsed = closure(parsed, |file| &leads[file].parts);
        // Who imports the others of them is told from code, and nothing beyond that is.
        for importer in quiet.iter().flat_map(|&file| &back[file]) {
            parsed[importer.0 as usize] |= sources.file(*importer).is_python();
        }
        let mut imported = vec![false; parsed.len()];
        for (_, leads) in leads.iter().enumerate().filter(|(file, _)| !parsed[*file]) {
            leads.for_types.iter().for_each(|target| imported[target.0 as usize] = true);
        }
        Relevance { parsed, leads: leading, imported, back, started }
    }

    /// Whether few files are reported, of many.
    pub(super) fn is_partial(&self) -> bool {
        !self.back.is_empty()
    }

    /// Leaves out what leads to none of the marked files.
    pub(super) fn narrow_to(&mut self, marked: Vec<bool>) {
        self.leads = leading_to(marked, &self.back, &self.started);
    }

    /// Whether the file is parsed.
    pub fn is_parsed(&self, file: FileId) -> bool {
        self.parsed[file.0 as usize]
    }

    /// Whether a file that is not parsed imports it; those that do so not for type checkers alone are parsed.
    pub fn is_imported(&self, file: FileId) -> bool {
        self.imported[file.0 as usize]
    }

    /// Whether what starts with this file may come to a file that is reported.
    pub fn leads(&self, file: FileId) -> bool {
        self.leads[file.0 as usize]
    }
}

/// Where the wanted files lead to. `documents_run`: the shell blocks of Markdown start programs.
pub fn import_edges_of(
    sources: &Sources,
    modules: &Modules,
    documents_run: bool,
    known: impl Fn(FileId) -> Option<ImportEdges> + Sync,
) -> Vec<ImportEdges> {
    let names = Names::of(sources, modules, documents_run);
    let files = (0..sources.files.len() as u32).into_par_iter().map(FileId);
    files.map(|file| known(file).unwrap_or_else(|| names.leads(file))).collect()
}

/// The marked files, all that leads to these, and what is started.
fn leading_to(marks: Vec<bool>, back: &[Vec<FileId>], started: &[FileId]) -> Vec<bool> {
    let mut leading = closure(marks, |file| &back[file]);
    started.iter().for_each(|program| leading[program.0 as usize] = true);
    leading
}

/// The marked files, and all that these lead to.
fn closure<'l>(mut marks: Vec<bool>, leads: impl Fn(usize) -> &'l Vec<FileId>) -> Vec<bool> {
    let mut pending: Vec<usize> = (0..marks.len()).filter(|&file| marks[file]).collect();
    while let Some(file) = pending.pop() {
        for target in leads(file) {
            let target = target.0 as usize;
            if !std::mem::replace(&mut marks[target], true) {
                pending.push(target);
            }
        }
    }
    marks
}

/// Settings, and what a project asks for, hold for files that do not name them.
pub(super) fn holds_for_all(source: &Source) -> bool {
    match source.language {
        Language::Toml | Language::Ini | Language::Requirements | Language::Dotenv | Language::Cache => true,
        Language::Yaml => source.text.contains("dependencies:"),
        Language::Python => source.name.rsplit('/').next() == Some("setup.py"),
        _ => false,
    }
}
