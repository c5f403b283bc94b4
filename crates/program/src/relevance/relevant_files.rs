//! Which of the reported files may hold what following a program finds. Where a finding lies is decided by what a file does: a
//! module without a word of GPUs whose import runs nothing else of the project holds none, whoever runs it. Judged by the
//! text and the code: a file too many costs time, and nothing else.

use crate::code::walk::{Ancestor, CodeNode, walk_top};
use crate::code::{Code, Expr, ExprKind, ImportNames};
use crate::facts::FileId;
use crate::program::entries::may_start;
use crate::program::file_facts::FileFactsReader;
use crate::program::imports::{Words, each_import, is_outside};
use crate::program::knowledge::Knowledge;
use crate::program::modules::Modules;
use crate::program::{Asked, Options, Program};
use crate::sources::{Language, Source, Sources};
use aho_corasick::AhoCorasick;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Other things that rules about programs speak of: processes and threads, tests, imports by name.
const WORDS: &[&str] = &[
    "import os",
    "from os",
    "process",
    "fork",
    "ool",
    "hread",
    "orker",
    "exec",
    "spawn",
    "pytest",
    "unittest",
    "runpy",
    "import_module",
    "__import__",
    "sys.",
    "signal",
];

static SAYS: LazyLock<AhoCorasick> = LazyLock::new(|| AhoCorasick::new(WORDS).expect("a few words"));

/// What is known before it is known who leads to the reported files.
pub struct ReachableFiles<'a, 's> {
    pub sources: &'a Sources,
    pub modules: &'a Modules,
    pub knowledge: &'a Knowledge,
    pub options: &'a Options,
    /// The code of the reported files.
    pub codes: &'a [Option<Code<'s>>],
}

impl ReachableFiles<'_, '_> {
    /// Of the reported files, those that may bear such a finding when the right program leads to them: of the others it does
    /// not matter who does.
    pub fn may_hold_findings(&self) -> Vec<bool> {
        let words = Words::of(self.knowledge);
        let may_bear = |(number, source): (u32, &Source)| {
            let file = FileId(number);
            source.reported
                && match &self.codes[number as usize] {
                    Some(code) => self.may_hold_one(file, source, code, words),
                    None => true,
                }
        };
        (0..).zip(&self.sources.files).map(may_bear).collect()
    }

    fn may_hold_one(&self, file: FileId, source: &Source, code: &Code<'_>, words: &Words) -> bool {
        // What the CPU part imports counts by its name, whatever stands around the import.
        let counting = |asked: &Asked| asked.cpu_part.as_ref().is_some_and(|cpu| !cpu.gpu_modules.is_empty());
        let counts_modules = self.options.asked.iter().any(counting);
        let ReachableFiles { modules, knowledge, options, .. } = *self;
        let look = || {
            FileFactsReader { modules, knowledge, options, words, is_kept: false }.at(
                file,
                source,
                Some(code),
            )
        };
        source.language != Language::Python
            || counts_modules
            || self.options.asked_of(file).every_gpu_file
            || says_more(source)
            || may_start(file, source, code, self.modules, self.options)
            || look().speaks()
            || may_run_others(file, code, self.modules)
    }
}

impl Program<'_> {
    /// Of the reported files, those in which following a program may find something.
    pub fn bearing(&self) -> Vec<bool> {
        let files = self.sources.files.iter().zip(0..);
        files.map(|(source, number)| source.reported && self.holds_findings(FileId(number))).collect()
    }

    fn holds_findings(&self, file: FileId) -> bool {
        let source = self.sources.file(file);
        let may_run = || may_run_others(file, self.code(file), &self.modules);
        source.language != Language::Python
            || says_more(source)
            || self.start_of(file).is_some()
            || self.imports.speaks(file)
            || (self.may_affect_gpu(file) && (self.asked_of(file).every_gpu_file || may_run()))
    }
}

fn says_more(source: &Source) -> bool {
    source.name.ends_with("conftest.py") || SAYS.is_match(&source.text)
}

/// Whether the import of a file may run code of the project: what it leads to is said of this file. So it is when its
/// top level has a decorator, or a name that stands for something of the project.
fn may_run_others(file: FileId, code: &Code<'_>, modules: &Modules) -> bool {
    let mut own: FxHashSet<&str> = code.functions.iter().map(|function| function.name).collect();
    own.extend(code.classes.iter().map(|class| class.name));
    let mut has_star = false;
    each_import(&code.body, &mut |import| match &import.names {
        _ if is_outside(import, file, modules) => {}
        ImportNames::Star => has_star = true,
        ImportNames::Names(names) => own.extend(names.iter().map(|name| name.bound)),
        ImportNames::Module(bound) => own.extend(bound.or(import.module.split('.').next())),
    });
    let mut may_run = has_star;
    walk_top(code, &mut |part, around| {
        let is_own =
            matches!(part, CodeNode::Expr(Expr { kind: ExprKind::Name(name), .. }) if own.contains(name));
        may_run |= is_own || matches!(around.last(), Some(Ancestor::Decorator(_)));
    });
    may_run
}
