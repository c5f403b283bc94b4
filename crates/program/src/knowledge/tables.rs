//! `rules/tables/`: which GPUs the wheels of torch have code for, and packages that must be built for one CUDA.

use crate::versions::Range;
use anyhow::{Context, Result};
use serde::{Deserialize, Deserializer, de::Error};
use std::fmt;

/// All tables.
#[derive(Debug, Default)]
pub struct Tables {
    pub wheels: Wheels,
    pub builds: Builds,
}

/// Two numbers with a point between: a compute capability, or a version of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub major: u32,
    pub minor: u32,
}

/// What the wheels of torch for x86-64 hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wheels {
    #[allow(dead_code)]
    verified: String,
    #[allow(dead_code)]
    sources: Vec<String>,
    /// For which CUDA the wheels on PyPI are built.
    pub pypi: Vec<Built>,
    /// For which versions of CUDA the index of PyTorch has builds.
    pub published: Vec<Published>,
    /// The compute capabilities that there is code for.
    pub architectures: Vec<Architectures>,
}

/// The CUDA of some releases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Built {
    pub torch: Range,
    pub cuda: Pair,
}

/// The builds of some releases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub torch: Range,
    pub cuda: Vec<Pair>,
}

/// The code in the wheels for some versions of CUDA.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architectures {
    pub cuda: Vec<Pair>,
    pub torch: Range,
    pub has: Vec<Pair>,
}

/// Packages that must be built for the same CUDA.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Builds {
    #[allow(dead_code)]
    verified: String,
    #[allow(dead_code)]
    sources: Vec<String>,
    /// Two packages.
    pub pairs: Vec<PackagePair>,
    /// Names that end with the major version of CUDA, of which one only can be installed.
    pub families: Vec<Family>,
}

/// Two packages that are used together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackagePair {
    pub packages: [String; 2],
    /// How much of the version of CUDA must be the same.
    pub same: VersionMatch,
    /// What happens otherwise, as a clause.
    pub otherwise: String,
}

/// How much of a version must be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VersionMatch {
    Major,
    Version,
}

/// `cupy-cuda11x` and `cupy-cuda12x`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Family {
    pub prefix: String,
    /// The wheels of torch on PyPI bring one of them, for their own CUDA.
    #[serde(default)]
    pub torch_brings: bool,
    /// Only those of the same major version have the same files.
    #[serde(default)]
    pub same_major: bool,
    /// What happens when there are two, as a clause.
    pub otherwise: String,
}

impl Tables {
    /// Takes one file, by its path below `rules/`. Tables for other purposes are passed over.
    pub fn take(&mut self, path: &str, text: &str) -> Result<()> {
        let context = || path.to_owned();
        match path {
            "tables/torch-wheels.yaml" => self.wheels = super::parsed(text).with_context(context)?,
            "tables/cuda-builds.yaml" => self.builds = super::parsed(text).with_context(context)?,
            _ => {}
        }
        Ok(())
    }
}

impl Architectures {
    /// Whether there is code that a GPU of this capability runs: of its own generation, and not newer.
    pub fn serve(&self, capability: Pair) -> bool {
        self.has.iter().any(|has| has.major == capability.major && has.minor <= capability.minor)
    }
}

impl Pair {
    /// `118` of `cu118`, `12` of `cu12`: the last digit is the minor version where there are three.
    pub fn of_label(digits: &str) -> Option<Pair> {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || digits.len() != 3 {
            return None;
        }
        let (major, minor) = digits.split_at(2);
        Some(Pair { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let read = text
            .split_once('.')
            .and_then(|(major, minor)| Some(Pair { major: major.parse().ok()?, minor: minor.parse().ok()? }));
        read.ok_or_else(|| D::Error::custom(format!("`{text}` is not two numbers with a point between")))
    }
}
