//! Which of the reported files may hold what following a program finds. Where a finding lies is decided by what a file does: a
//! module without a word of GPUs whose import runs nothing else of the project holds none, whoever runs it. Judged by the
//! text and the code: a file too many costs time, and nothing else.

use crate::code::walk::{Around, Part, walk_top};
use crate::code::{Expr, ExprKind, ImportNames};
use crate::facts::FileId;
use crate::program::Program;
use crate::program::imports::each_import;
use crate::sources::Language;
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

impl Program<'_> {
    /// Of the reported files, those in which following a program may find something.
    pub(in crate::program) fn bearing(&self) -> Vec<bool> {
        let files = self.sources.files.iter().zip(0..);
        files.map(|(source, number)| source.reported && self.bears(FileId(number))).collect()
    }

    fn bears(&self, file: FileId) -> bool {
        let source = self.sources.file(file);
        source.language != Language::Python
            || source.name.ends_with("conftest.py")
            || self.start_of(file).is_some()
            || self.imports.speaks(file)
            || SAYS.is_match(&source.text)
            || (self.is_hot(file) && (self.options.every_gpu_file || self.may_run_others(file)))
    }

    /// Whether the import of a file may run code of the project: what it leads to is said of this file. So it is when its
    /// top level has a decorator, or a name that stands for something of the project.
    fn may_run_others(&self, file: FileId) -> bool {
        let code = self.code(file);
        let mut own: FxHashSet<&str> = code.functions.iter().map(|function| function.name).collect();
        own.extend(code.classes.iter().map(|class| class.name));
        let mut has_star = false;
        each_import(&code.body, &mut |import| match &import.names {
            _ if self.imports_outside(file, import) => {}
            ImportNames::Star => has_star = true,
            ImportNames::Names(names) => own.extend(names.iter().map(|name| name.bound)),
            ImportNames::Module(bound) => own.extend(bound.or(import.module.split('.').next())),
        });
        let mut may_run = has_star;
        walk_top(code, &mut |part, around| {
            let is_own =
                matches!(part, Part::Expr(Expr { kind: ExprKind::Name(name), .. }) if own.contains(name));
            may_run |= is_own || matches!(around.last(), Some(Around::Decorator(_)));
        });
        may_run
    }
}
