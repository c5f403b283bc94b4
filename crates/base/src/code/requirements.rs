//! Packages that a file asks for: lines of a requirements file, arrays of `pyproject.toml`, arguments of
//! `pip install`.

use crate::facts::Span;
use std::sync::Arc;

/// A package that a file asks for.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// All of it, as far as a finding should show it.
    pub span: Span,
    /// As package indexes spell it: lower case, with `-`. The interpreter itself is `python`.
    pub name: String,
    /// The versions that will do, all of these; `None` when the file does not say so in words that are read.
    pub clauses: Option<Vec<Clause>>,
    pub grammar: Grammar,
    /// `python_version < "3.11"`, as written; empty when it holds everywhere.
    pub marker: String,
    pub part: Part,
    /// Where its wheels come from.
    pub index: Arc<Index>,
}

/// `>=2.0`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// One of those of PEP 440.
    pub operator: String,
    pub version: String,
}

/// In whose words versions are written. Those of the others are turned into those of PEP 440.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// PEP 508, which pip, uv and build tools read.
    Pep508,
    /// Poetry's own tables and Pipfile.
    Poetry,
    Conda,
}

/// To which part of what is installed a requirement belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Always installed.
    Main,
    /// An extra or a group, by its name: installed together with the main part when somebody asks for it.
    Group(String),
    /// A command of the file, by its number.
    Command(usize),
    /// Needed to build the project, in an environment of its own.
    Build,
    /// Limits versions, and asks for nothing.
    Constraint,
    /// One of all packages that a tool chose, each with its version.
    Locked,
}

/// Package indexes beside the default one, or in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// In place of the default one.
    pub only: Option<String>,
    /// Beside it.
    pub extra: Vec<String>,
    /// Wheels also come from pages or folders that are not read.
    pub links: bool,
}

/// Another file of requirements: `-r base.txt`, `-c constraints.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// As written, relative to the file that names it.
    pub path: String,
    pub part: Part,
}
