//! What policies say that changes how programs are followed: each speaks for the programs that start in its files.

use super::Budget;
use crate::facts::FileId;
use crate::policy::{Cpu, Scripts, Tests};

/// What policies say that changes how programs are followed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What each policy asks of the programs that start in its files; one at least.
    pub asked: Vec<Asked>,
    /// The number of the policy that governs each file; empty where one governs all.
    pub governing: Vec<u16>,
    /// `[project.scripts]`: modules and the functions in them that are started.
    pub console_scripts: Vec<(String, String)>,
    /// How far programs are followed; by default what suits the number of files.
    pub budget: Option<Budget>,
    /// Each call is followed, also where a summary of it would do: to compare the two.
    pub no_summaries: bool,
    /// Variables that whoever starts programs and launchers has set.
    pub given: Vec<(String, String)>,
    /// What a launcher counts out itself is a mask that it sets. Rules judge masks that somebody wrote.
    pub launchers_set_masks: bool,
    /// Programs that lead to nothing of GPUs are followed too: to count all of them.
    pub follows_all: bool,
}

/// What one policy asks.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What the names of the files in its folder begin with: `app/`, or nothing.
    pub folder: String,
    /// Modules whose import the policy forbids in the CPU part (dotted names; what is below counts too).
    pub forbidden: Vec<String>,
    /// The import of a GPU library counts as GPU use.
    pub imports_matter: bool,
    /// One more program imports the modules that this section names: the CPU part.
    pub cpu_part: Option<Cpu>,
    /// What the policy says about scripts: names of functions that check the GPU.
    pub scripts: Scripts,
    /// What it says about tests: names of what releases GPU memory.
    pub tests: Tests,
    /// How many cards the policy names; `None` when it names none.
    pub cards: Option<usize>,
    /// Each file that touches the GPU is looked at as if it were started itself.
    pub every_gpu_file: bool,
}

impl Options {
    /// The number of the policy that governs a file.
    pub(super) fn number_of(&self, file: FileId) -> usize {
        self.governing.get(file.0 as usize).copied().map_or(0, usize::from)
    }

    /// What is asked of the programs that start with a file.
    pub(super) fn asked_of(&self, file: FileId) -> &Asked {
        &self.asked[self.number_of(file)]
    }

    /// Whether two programs that start with these files are followed alike.
    pub(super) fn are_alike(&self, one: FileId, other: FileId) -> bool {
        self.number_of(one) == self.number_of(other)
    }
}

impl Asked {
    /// Whether the import of a module is forbidden in the CPU part.
    pub(super) fn is_forbidden(&self, module: &str) -> bool {
        let covers = |forbidden: &String| {
            module
                .strip_prefix(forbidden.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.forbidden.iter().any(covers)
    }
}
