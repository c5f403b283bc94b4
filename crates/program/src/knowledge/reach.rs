//! Which names may reach the driver at all, whatever they are called on.

use super::{Does, Effect, Knowledge};
use rustc_hash::FxHashMap;

/// When something reaches the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriverReach {
    /// Where an argument names a GPU.
    OnGpu,
    Always,
}

impl Knowledge {
    /// The last names of everything that reaches the driver, or asks for GPUs.
    pub fn reaching_names(&self) -> FxHashMap<&str, DriverReach> {
        let tables =
            [&self.calls, &self.methods, &self.enters, &self.iterates, &self.subscripts, &self.reads];
        let mut found = FxHashMap::default();
        for (name, effects) in tables.into_iter().flatten() {
            let counts = |effect: &&Effect| {
                !effect.row.harmless
                    && effect.row.does.iter().any(|does| matches!(does, Does::CudaInit | Does::Query))
            };
            let last = name.trim_end_matches("()").rsplit('.').next().unwrap_or(name);
            for effect in effects.iter().filter(counts) {
                let reach = if effect.row.only_on_gpu { DriverReach::OnGpu } else { DriverReach::Always };
                let known = found.entry(last).or_insert(reach);
                *known = (*known).max(reach);
            }
        }
        found
    }
}
