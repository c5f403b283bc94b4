//! What importing packages does: the form of `rules/packages/`.

use super::runs::Run;
use crate::versions::Range;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PackageFile {
    pub package: String,
    #[allow(dead_code)]
    verified: String,
    #[allow(dead_code)]
    sources: Vec<String>,
    pub modules: Vec<PackageModule>,
}

/// What importing one module of a package does.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PackageModule {
    /// The dotted name; the row also speaks for what lies below and has no row of its own.
    pub module: String,
    /// People import it in order to use a GPU.
    #[serde(default)]
    pub gpu_library: bool,
    /// GPU libraries that it imports eagerly.
    #[serde(default)]
    pub imports: Vec<String>,
    /// GPU libraries that it imports later, for the objects that it makes: those have their methods.
    #[serde(default)]
    pub objects_of: Vec<String>,
    /// GPU libraries that it also imports when another package is installed.
    #[serde(default)]
    pub imports_if_installed: BTreeMap<String, Vec<String>>,
    /// How far the import goes by itself.
    #[serde(default)]
    pub contact: DriverContact,
    /// How far it goes when another package is installed.
    #[serde(default)]
    pub contact_if_installed: BTreeMap<String, DriverContact>,
    /// How far it went with certain versions, where the project's are known to be among them.
    #[serde(default)]
    pub contact_in: Vec<ContactIn>,
    /// The contact does not happen when a variable has this value (`*`: any value).
    #[serde(default)]
    pub unless_env: BTreeMap<String, String>,
    /// Environment variables that the import sets.
    #[serde(default)]
    pub sets: BTreeMap<String, String>,
    /// The contact happens only when these variables have these values.
    #[serde(default)]
    pub if_env: BTreeMap<String, String>,
    /// The version that was looked at; findings name it.
    pub version: Option<String>,
    /// Why, in one clause.
    pub note: Option<String>,
    /// Imports that were watched; they say what is imported, reached and set.
    #[serde(default)]
    pub(super) runs: Vec<Run>,
}

impl PackageModule {
    /// Whether the objects that it makes have the methods of a library.
    pub fn makes_objects_of(&self, library: &str) -> bool {
        self.imports.iter().chain(&self.objects_of).any(|known| known == library)
    }

    /// Whether importing it is of use to who wants a GPU, or loads a library that is.
    pub fn is_for_gpus(&self) -> bool {
        self.gpu_library || self.imports.iter().any(|brought| brought != "numpy")
    }
}

/// How far an import went with certain versions.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ContactIn {
    /// All packages have one of these versions.
    pub requires: BTreeMap<String, Range>,
    pub contact: DriverContact,
    /// Why, in one clause.
    pub note: String,
}

/// How far an import goes towards the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriverContact {
    /// It does not touch it.
    #[default]
    None,
    /// It asks NVML, which initialises nothing.
    Nvml,
    /// It reaches `cuInit`.
    CudaInit,
}
