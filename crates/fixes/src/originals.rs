//! What proofs and fixes look at of files as they are, each part made when somebody first asks for it.

use super::Refusal;
use crate::facts::FileId;
use crate::languages::{self, Choices, Scopes, Tree};
use crate::sources::{Language, Source};
use std::sync::OnceLock;

/// How well a file can be read.
#[derive(Clone, Copy)]
pub struct Legibility {
    /// Parts that could not be read.
    pub unread: usize,
    /// Places that the grammar of its shell does not know.
    pub faults: usize,
}

impl Legibility {
    pub fn of(source: &Source) -> Result<Legibility, Refusal> {
        // As far as documents hold code, all of it is read.
        let code = languages::lower(source, Choices { markdown_shell: true })?;
        Ok(Legibility { unread: code.unread.len(), faults: code.faults })
    }
}

/// One file before a fix.
#[derive(Default)]
pub struct Original {
    tree: OnceLock<Result<Tree, Refusal>>,
    scopes: OnceLock<Result<Scopes, Refusal>>,
    legibility: OnceLock<Result<Legibility, Refusal>>,
}

impl Original {
    /// The tree of a file of Python.
    pub fn tree(&self, source: &Source) -> Result<&Tree, Refusal> {
        if !matches!(source.language, Language::Python | Language::Notebook) {
            return Err("only Python is changed so".to_owned());
        }
        self.tree.get_or_init(|| Tree::of(source)).as_ref().map_err(Clone::clone)
    }

    /// The scopes of a file of Python.
    pub fn scopes(&self, source: &Source) -> Result<&Scopes, Refusal> {
        self.scopes.get_or_init(|| Scopes::of(source)).as_ref().map_err(Clone::clone)
    }

    pub fn legibility(&self, source: &Source) -> Result<Legibility, Refusal> {
        self.legibility.get_or_init(|| Legibility::of(source)).clone()
    }
}

/// The same of all files of a program.
pub struct Originals(Vec<Original>);

impl Originals {
    pub fn new(files: usize) -> Originals {
        Originals((0..files).map(|_| Original::default()).collect())
    }

    pub fn of(&self, file: FileId) -> &Original {
        &self.0[file.0 as usize]
    }
}
