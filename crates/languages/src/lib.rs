//! Front-ends: the text of one file becomes [`Code`].

mod batch;
mod command_lines;
mod containers;
mod contents;
mod data;
mod dockerfile;
mod dotenv;
mod embedded;
mod grammar;
mod images;
pub mod ini;
mod interpolation;
mod interpreters;
mod json;
mod json_string;
mod launchers;
mod makefile;
mod markdown;
mod notebook;
mod passages;
mod powershell;
mod python;
mod requirements;
mod runner_devices;
mod rust;
mod settings;
mod shell;
mod toml;
pub mod versions;
mod yaml;

// A module goes by one path in all packages: `crate::sources`, `crate::languages::requirement`.
extern crate self as languages;
use gpulint_base::{code, commands, facts, keywords, masks, policy, sources};

use crate::code::{Code, Requirement};
use crate::policy::Policy;
use crate::sources::{Language, Source};

pub use containers::is_split_list;
pub use passages::{PassageKind, TextPiece, passages};
pub use python::logical_lines;
pub use python::{Kind as TreeKind, Node as TreeNode, NodeId, Token as TreeToken, Tree};
pub use python::{Mention, NameUse as MentionSort, ScopeId, ScopeSort, Scopes, When};

/// Why a file could not be read as its language, in one clause.
pub type Refusal = String;

/// What a team may choose about the languages that are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// The shell blocks of Markdown files are read.
    pub markdown_shell: bool,
}

impl Choices {
    /// How the files that a policy governs are read.
    pub fn of(policy: &Policy) -> Choices {
        Choices { markdown_shell: policy.languages.markdown_shell }
    }
}

/// Runs `lower` with room on the stack for trees that are deeper than people write them.
fn nesting_room<T>(lower: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 1024 * 1024, lower)
}

/// The code of one file, borrowing from its text.
pub fn lower(source: &Source, choices: Choices) -> Result<Code<'_>, Refusal> {
    match source.language {
        Language::Batch => batch::lower(source),
        Language::Cache | Language::Unread => Ok(Code::default()),
        Language::Dockerfile => dockerfile::lower(source),
        Language::Dotenv => dotenv::lower(source),
        Language::Ini => ini::lower(source),
        Language::Json => json::lower(source),
        Language::Launcher => launchers::lower(source),
        Language::Makefile => makefile::lower(source),
        Language::Markdown => markdown::lower(source, choices),
        Language::Notebook => notebook::lower(source),
        Language::PowerShell => powershell::lower(source),
        Language::Python => python::lower(source).map(|code| requirements::of_setup(source, code)),
        Language::Requirements => requirements::lower(source),
        Language::Rust => rust::lower(source),
        Language::Shell => shell::lower(source),
        Language::Yaml => yaml::lower(source),
        Language::Toml => toml::lower(source),
    }
}

/// A requirement of PEP 508 that stands alone.
pub fn requirement(text: &str) -> Option<Requirement> {
    requirements::read(text, 0, crate::code::Part::Main)
}
