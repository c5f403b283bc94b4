//! Sources → the program that they are. No more is parsed than has a say in what is reported, and of what earlier checks
//! know no more than they ask for.

use crate::code::Code;
use crate::facts::FileId;
use crate::findings::Finding;
use crate::languages::{self, Choices};
use crate::program::{
    Lowering, Modules, Options, Parts, Program, ReachableFiles, Relevance, ResultCache, import_edges_of,
    own_projects,
};
use crate::rules::RuleSet;
use crate::settings::Settings;
use crate::sources::{Language, Skipped, Source, Sources};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// The program that the sources are, and files that are not what they seem.
pub fn program_of<'s>(
    sources: &'s Sources,
    settings: &Settings,
    options: Options,
    rules: &'s RuleSet,
    memory: Option<&ResultCache<Finding>>,
) -> (Program<'s>, Vec<Skipped>) {
    let choices = ChoicesByFile::of(settings, sources);
    // A policy lies in it, or it is a project by its files.
    let governed = options.asked.iter().map(|asked| asked.folder.trim_end_matches('/'));
    let tops: Vec<&str> = governed.chain(own_projects(sources)).collect();
    let modules = Modules::new(sources, &tops);
    let knowledge = &rules.knowledge;
    let is_whole = sources.files.iter().all(|source| source.reported);
    // Of what could be read without complaints the code is read when somebody asks for it.
    let is_plain = |file| {
        let look = memory.filter(|_| is_whole).and_then(|memory| memory.facts_of(file));
        look.is_some_and(|look| look.is_read && !look.has_unread)
    };
    let (mut codes, skipped) = reported(sources, &choices, is_plain);
    let files = (0..sources.files.len() as u32).map(FileId);
    let mut leads = Vec::new();
    let (reach, memory) = if is_whole {
        (Relevance::everywhere(sources.files.len()), memory)
    } else {
        let known =
            ReachableFiles { sources, modules: &modules, knowledge, options: &options, codes: &codes };
        let bearing = known.may_hold_findings();
        // Where it does not matter who leads to the files, it is not worth while to begin a memory.
        let memory = memory.filter(|memory| !memory.is_new() || bearing.contains(&true));
        let known = |file| memory.and_then(|memory| memory.import_edges_of(file)).cloned();
        leads = import_edges_of(sources, &modules, !choices.with_shells.is_empty(), known);
        let reach = Relevance::of(sources, &leads, bearing);
        let is_wanted = |file| match memory {
            Some(memory) => memory.facts_of(file).is_none(),
            None => reach.is_parsed(file),
        };
        let others = files.clone().zip(&sources.files).filter(|(_, source)| !source.reported);
        let others: Vec<FileId> = others.map(|(file, _)| file).filter(|&file| is_wanted(file)).collect();
        let read = others.into_par_iter();
        let read = read.map(|file| {
            let source = sources.file(file);
            (file, languages::lower(source, choices.at(source)).ok())
        });
        read.collect::<Vec<_>>().into_iter().for_each(|(file, code)| codes[file.0 as usize] = code);
        (reach, memory)
    };
    let looks = files.map(|file| memory?.facts_of(file).cloned()).collect();
    let lowering = memory.map(|_| lowering_by(choices));
    let parts = Parts { sources, modules, reach, codes, looks, leads, lowering, knowledge, options };
    (Program::new(parts), skipped)
}

fn lowering_by(choices: ChoicesByFile) -> Lowering {
    Box::new(move |source| languages::lower(source, choices.at(source)).ok())
}

/// How each file is read, as the policy says that governs it.
struct ChoicesByFile {
    /// The documents whose blocks of shell are read, by name.
    with_shells: FxHashSet<String>,
}

impl ChoicesByFile {
    fn of(settings: &Settings, sources: &Sources) -> ChoicesByFile {
        let documents = sources.files.iter().filter(|source| source.language == Language::Markdown);
        let with_shells =
            documents.filter(|source| Choices::of(settings.governing_of(source).policy).markdown_shell);
        ChoicesByFile { with_shells: with_shells.map(|source| source.name.clone()).collect() }
    }

    fn at(&self, source: &Source) -> Choices {
        Choices { markdown_shell: self.with_shells.contains(&source.name) }
    }
}

/// The code of the files that are reported, but for those that are plain, and those that are not what they seem.
fn reported<'s>(
    sources: &'s Sources,
    choices: &ChoicesByFile,
    is_plain: impl Fn(FileId) -> bool + Sync,
) -> (Vec<Option<Code<'s>>>, Vec<Skipped>) {
    let files = sources.files.par_iter().enumerate();
    let is_wanted = |number: usize, source: &Source| source.reported && !is_plain(FileId(number as u32));
    let lowered = files.map(|(number, source)| {
        is_wanted(number, source).then(|| languages::lower(source, choices.at(source)))
    });
    let mut codes = Vec::with_capacity(sources.files.len());
    let mut skipped = Vec::new();
    for (lowered, source) in lowered.collect::<Vec<_>>().into_iter().zip(&sources.files) {
        let (code, unread) = match lowered {
            None => (None, Vec::new()),
            Some(Ok(code)) => {
                let unread = code.unread.clone();
                (Some(code), unread)
            }
            Some(Err(reason)) => (None, vec![reason]),
        };
        skipped.extend(unread.into_iter().map(|reason| Skipped { path: source.name.clone(), reason }));
        codes.push(code);
    }
    (codes, skipped)
}

#[cfg(test)]
mod tests;
