//! What a file of Python does with the names of its module: where each is bound and used, and whether that happens when the
//! file is imported or later, in a function.

mod reader;
#[cfg(test)]
mod tests;

use super::{nesting, older};
use crate::facts::Span;
use crate::languages::Refusal;
use crate::sources::{Language, Source};
use ruff_python_ast::PySourceType;
use rustc_hash::{FxHashMap, FxHashSet};

/// The scopes of a file, and every mention of a name in it.
#[derive(Debug, Default)]
pub struct Scopes {
    scopes: Vec<Scope>,
    mentions: Vec<Mention>,
    /// The texts in statements about `__all__`.
    pub exported: Vec<String>,
    /// `from __future__ import annotations`: no annotation is evaluated when the file is imported.
    pub later_annotations: bool,
    /// The file has a `from … import *`.
    pub star: bool,
}

/// A scope by its number; 0 is the module.
pub type ScopeId = u32;

/// A part of the file with names of its own.
#[derive(Debug)]
pub struct Scope {
    pub sort: ScopeSort,
    pub span: Span,
    pub parent: ScopeId,
    /// Of a function or class.
    pub decorators: Vec<Span>,
    bound: FxHashSet<String>,
    /// Names that `global` (true) or `nonlocal` gives away.
    shared: FxHashMap<String, bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeSort {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
}

/// A name at a place.
#[derive(Debug)]
pub struct Mention {
    pub name: String,
    pub span: Span,
    pub what: NameUse,
    /// Where it stands.
    pub scope: ScopeId,
    /// Whose name it is; names of nobody are looked for in the module.
    pub home: ScopeId,
    /// The block of `if __name__ == "__main__":` that it stands in.
    pub started: Option<Span>,
}

/// What is done with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameUse {
    Read,
    Bound,
    Deleted,
    /// `global` or `nonlocal`.
    Shared,
    /// In an annotation that is evaluated where it stands, unless the file or the Python puts that off.
    Annotation,
    /// In an annotation that nothing evaluates: a text, or that of a local variable.
    Unevaluated,
}

/// When a mention is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As soon as somebody imports the file.
    AtImport,
    /// When the file is started itself, in this block.
    Started(Span),
    /// When this function is called, the innermost `def` around it.
    Called(ScopeId),
    /// When a lambda is called that no function holds.
    InLambda,
}

impl Scopes {
    /// The scopes of a file of Python.
    ///
    /// # Errors
    /// When it is no file of Python, or cannot be read as such.
    pub fn of(source: &Source) -> Result<Scopes, Refusal> {
        if source.language != Language::Python {
            return Err("what the cells of a notebook import is used by those that run after them".to_owned());
        }
        let text = source.text.strip_prefix('\u{feff}').unwrap_or(&source.text);
        nesting::check(text)?;
        let Some(parsed) = older::parse(text, PySourceType::Python) else {
            return Err("not a Python module".to_owned());
        };
        let at = (source.text.len() - text.len()) as u32;
        let whole = Span { start: at, end: source.text.len() as u32 };
        let mut scopes = reader::read(&parsed.syntax().body, whole);
        nesting::release(parsed, text.len());
        for number in 0..scopes.mentions.len() {
            let mention = &scopes.mentions[number];
            scopes.mentions[number].home = scopes.home_of(&mention.name, mention.scope);
        }
        Ok(scopes)
    }

    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id as usize]
    }

    /// All mentions of names, wherever they are at home.
    pub fn mentions(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter()
    }

    /// The mentions of a name of the module.
    pub fn of_module<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Mention> {
        self.mentions.iter().filter(move |mention| mention.home == 0 && mention.name == name)
    }

    /// Whether some scope of the file binds or uses this name.
    pub fn knows(&self, name: &str) -> bool {
        self.mentions.iter().any(|mention| mention.name == name)
            || self.scopes.iter().any(|scope| scope.bound.contains(name))
    }

    /// Whether a scope binds a name for itself.
    pub fn binds(&self, scope: ScopeId, name: &str) -> bool {
        self.scope(scope).bound.contains(name)
    }

    /// The scope of the function or lambda that is defined exactly here.
    pub fn defined_at(&self, span: Span) -> Option<ScopeId> {
        let is_here = |scope: &Scope| scope.span == span && scope.sort == ScopeSort::Function;
        self.scopes.iter().position(is_here).map(|id| id as ScopeId)
    }

    /// The scope and those around it, outwards to the module.
    pub fn outwards(&self, id: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(id), |&id| (id > 0).then(|| self.scope(id).parent))
    }

    pub fn when(&self, mention: &Mention) -> When {
        let mut in_lambda = false;
        for id in self.outwards(mention.scope) {
            match self.scope(id).sort {
                ScopeSort::Function => return When::Called(id),
                ScopeSort::Lambda => in_lambda = true,
                _ => {}
            }
        }
        match mention.started {
            Some(block) => When::Started(block),
            None if in_lambda => When::InLambda,
            None => When::AtImport,
        }
    }

    /// Whose name it is, seen from a scope.
    fn home_of(&self, name: &str, from: ScopeId) -> ScopeId {
        for (hops, id) in self.outwards(from).enumerate() {
            let scope = self.scope(id);
            match scope.shared.get(name) {
                Some(true) => return 0,
                Some(false) => continue,
                None => {}
            }
            // What a class binds is seen in its own body only.
            let is_seen = hops == 0 || scope.sort != ScopeSort::Class;
            if is_seen && scope.bound.contains(name) {
                return id;
            }
        }
        0
    }
}

impl Scope {
    fn new(sort: ScopeSort, span: Span, parent: ScopeId) -> Scope {
        Scope {
            sort,
            span,
            parent,
            decorators: Vec::new(),
            bound: FxHashSet::default(),
            shared: FxHashMap::default(),
        }
    }
}
