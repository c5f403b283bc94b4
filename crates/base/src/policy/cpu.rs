//! `cpu:`, the section about the part of the project that must run without a GPU.

use super::ModulePattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the project that must run without a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Cpu {
    /// Modules that must import none of the forbidden ones, however deep: `performance`, `cli.*`,
    /// `backtest.**`.
    pub entry_points: Vec<ModulePattern>,
    /// Modules that must not be imported; what lies below them is forbidden too.
    pub forbidden_imports: Vec<ModulePattern>,
    /// Modules of the project that count as GPU code, with what lies below them.
    pub gpu_modules: Vec<ModulePattern>,
    /// The one environment variable that chooses between CPU and GPU.
    pub switch: Option<String>,
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu::default_for_mode()
    }
}

impl Cpu {
    /// The section that `--mode cpu` assumes when there is none: the usual modules are forbidden and
    /// no entry points are named.
    pub fn default_for_mode() -> Self {
        Cpu {
            entry_points: Vec::new(),
            forbidden_imports: ["cupy", "torch", "numba.cuda"].map(ModulePattern::fixed).into(),
            gpu_modules: Vec::new(),
            switch: None,
        }
    }

    /// Whether the section names this module as an entry point. Modules below a named one are not
    /// named; they belong to the CPU part only when something there imports them.
    pub fn entry_points_match(&self, module: &str) -> bool {
        self.entry_points.iter().any(|pattern| pattern.matches(module))
    }

    /// The pattern by which an import of this module is forbidden, if one is: `torch` for `torch.nn`.
    pub fn forbids(&self, module: &str) -> Option<&ModulePattern> {
        self.forbidden_imports.iter().find(|pattern| pattern.covers(module))
    }

    /// Whether this module of the project counts as GPU code.
    pub fn is_gpu_module(&self, module: &str) -> bool {
        self.gpu_modules.iter().any(|pattern| pattern.covers(module))
    }
}
