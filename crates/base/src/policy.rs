//! The policy: what a team says about its GPUs, in `gpulint.yaml` or in `[tool.gpulint]` of
//! `pyproject.toml`. Every command reads the same one.
//!
//! This file holds the whole and its small sections; the larger sections have files of their own.
//! [`load`] reads one file, [`discover`] finds the one that governs a path, and
//! [`apply_overrides`] adds what the command line says.

mod amount;
mod checked;
mod cpu;
mod discover;
mod error;
mod gpu;
mod layers;
mod load;
mod overrides;
mod pattern;
mod problem;
mod rules;
mod runtime;

pub use amount::Amount;
pub use cpu::Cpu;
pub use discover::work_tree;
pub use discover::{PolicySearch, discover, passed_over, policy_files_of, policy_in, project_root, upwards};
pub use error::PolicyError;
pub use gpu::{DeviceOrder, Gpu};
pub use layers::{LayeredPolicy, Origin, layered, machine_places};
pub use load::load_named;
pub use load::read_text as read;
pub use load::{line_naming, load};
pub use overrides::{apply_overrides, is_override};
pub use pattern::{ModulePattern, NamePattern};
pub use rules::{PathRules, Rules};
pub use runtime::{Leak, Mode, Runtime, Target, TargetMode};

use crate::sources::FilePattern;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;

/// What a project may do with GPUs, as its team wrote it down. Every section may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Policy {
    /// Other policy files, relative to this one: what they say counts where this one is silent, and the last named counts most.
    #[serde(deserialize_with = "layers::one_or_several", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "layers::files_schema")]
    pub extends: Vec<PathBuf>,
    /// The one GPU that the scripts must use. Its presence makes the rules about choosing a GPU stricter.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpu>,
    /// What every script must contain.
    #[serde(deserialize_with = "or_default")]
    pub scripts: Scripts,
    /// The part of the project that must run without a GPU. Its presence turns on the CPU-only rules.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    /// What tests must do.
    #[serde(deserialize_with = "or_default")]
    pub tests: Tests,
    /// What the project supports. More than `cuda` turns on the rules about falling back; an empty
    /// list says nothing.
    pub backends: Vec<Backend>,
    /// Which rules run and how bad their findings are.
    #[serde(deserialize_with = "or_default")]
    pub rules: Rules,
    /// A file with findings that are known and do not fail a run, relative to the project root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    /// What `validate` and `exec` do on a machine with a GPU.
    #[serde(deserialize_with = "or_default")]
    pub runtime: Runtime,
    /// Choices about the languages that are read.
    #[serde(deserialize_with = "or_default")]
    pub languages: Languages,
    /// Files and folders that are not reported on, by glob relative to the project root.
    pub exclude: Vec<FilePattern>,
}

/// What every script must contain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Scripts {
    /// Which files must set the GPU variables themselves.
    pub require_env: RequireEnv,
    /// Names of functions that check the GPU at run time, `*` stands for any characters. When the
    /// list is not empty, a script must call one of them.
    pub validators: Vec<NamePattern>,
    /// Template of the block that `--fix` inserts, relative to the project root.
    pub template: Option<PathBuf>,
}

/// Which files must set the GPU variables themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequireEnv {
    /// Files that are started; what they import inherits their environment.
    #[default]
    EntryPoints,
    /// Each file that touches the GPU, even when its importer already set the variables.
    EveryGpuFile,
}

/// What tests must do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Tests {
    /// Names of fixtures, decorators and context managers that release GPU memory, `*` stands for
    /// any characters.
    pub cleanup: Vec<NamePattern>,
}

/// Hardware that a project can compute on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// NVIDIA GPUs.
    Cuda,
    /// AMD GPUs.
    Rocm,
    /// GPUs of Apple silicon.
    Mps,
    /// No GPU.
    Cpu,
}

/// Choices about the languages that are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Languages {
    /// Read the shell blocks of Markdown files too.
    pub markdown_shell: bool,
}

impl Policy {
    /// Whether the project supports hardware beside NVIDIA's.
    pub fn supports_more_than_cuda(&self) -> bool {
        self.backends.iter().any(|backend| *backend != Backend::Cuda)
    }
}

impl Scripts {
    /// Whether a function of this name (the last part of a dotted one) checks the GPU.
    pub fn is_validator(&self, function: &str) -> bool {
        self.validators.iter().any(|pattern| pattern.matches(function))
    }
}

impl Tests {
    /// Whether a fixture, decorator or context manager of this name releases GPU memory.
    pub fn is_cleanup(&self, name: &str) -> bool {
        self.cleanup.iter().any(|pattern| pattern.matches(name))
    }
}

/// The JSON schema of the policy, with a final newline: the text of `gpulint.schema.json`, with
/// which editors complete and check `gpulint.yaml`.
pub fn json_schema() -> String {
    let mut schema = schemars::schema_for!(Policy);
    schema.insert("title".into(), "gpulint policy".into());
    format!("{:#}\n", schema.to_value())
}

/// A section whose mere presence says something: `cpu:` with nothing below it is a section in
/// which everything has its default.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<Option<T>, D::Error> {
    or_default(from).map(Some)
}

/// A section with nothing below it, as is left when each of its lines is commented out.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}
