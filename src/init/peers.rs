//! What the settings of other tools become: bans of imports, and what somebody decided about rules that gpulint has too. Each
//! setting is told, also one that stays where it is.

mod codes;
mod gpu_code;
mod import_linter;
mod ruff;
mod settings_files;
mod torch_preflight;
mod torchfix;

use super::{Cpu, PolicyDraft, RuleWishes};
use crate::program::knowledge::DriverContact;
use crate::rules::RuleSet;
use anyhow::bail;
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

pub use gpu_code::gpu_code;

/// A tool whose settings are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    Ruff,
    ImportLinter,
    TorchPreflight,
    Torchfix,
}

/// What is taken over from other tools, and what is told about it.
#[derive(Debug, Default)]
pub struct ImportedSettings {
    /// Modules that no module of the project may import.
    everywhere: Vec<String>,
    /// Modules that must do without others.
    parts: Vec<ForbiddenImports>,
    rules: RuleWishes,
    exclude: Vec<String>,
    told: Vec<ImportedSetting>,
}

/// Modules that must not import others.
#[derive(Debug)]
struct ForbiddenImports {
    entry_points: Vec<String>,
    forbidden: Vec<String>,
    /// Modules of the project among the forbidden ones.
    own: Vec<String>,
    /// Where it is written, with the name that it has there.
    place: String,
}

/// What becomes of one setting.
#[derive(Debug, PartialEq, Eq)]
struct ImportedSetting {
    /// The file and the key.
    place: String,
    what: String,
    becomes: String,
}

/// The rules that say what a ban of imports says.
const BANS: [&str; 2] = ["gpu-import-in-cpu-mode", "gpu-import-reached"];

impl Tool {
    /// What is looked for, for who has none of it.
    fn settings(self) -> &'static str {
        match self {
            Tool::Ruff => "bans of ruff (TID251, TID253)",
            Tool::ImportLinter => "contracts of import-linter",
            Tool::TorchPreflight => "settings of torch-preflight",
            Tool::Torchfix => "settings of TorchFix (codes with TOR in those of flake8)",
        }
    }

    fn read(self, folder: &Path, moved: &mut ImportedSettings) -> anyhow::Result<()> {
        match self {
            Tool::Ruff => ruff::read(folder, moved),
            Tool::ImportLinter => import_linter::read(folder, moved),
            Tool::TorchPreflight => torch_preflight::read(folder, moved),
            Tool::Torchfix => torchfix::read(folder, moved),
        }
    }
}

impl ImportedSettings {
    /// What these tools, or all for an empty list, have in the files of a folder.
    ///
    /// # Errors
    /// When a file cannot be read, or a tool that is asked for has nothing there.
    pub fn from(tools: &[Tool], folder: &Path) -> anyhow::Result<ImportedSettings> {
        let mut moved = ImportedSettings::default();
        let asked = if tools.is_empty() { Tool::value_variants() } else { tools };
        for tool in asked {
            let before = moved.read();
            tool.read(folder, &mut moved)?;
            if moved.read() == before && !tools.is_empty() {
                bail!("{} has no {}; leave out --from={}", shown(folder), tool.settings(), word(*tool));
            }
        }
        if moved.read() == 0 {
            let looked_for: Vec<_> = asked.iter().map(|tool| tool.settings()).collect();
            bail!("{} has no {}; leave out --from", shown(folder), looked_for.join(", no "));
        }
        Ok(moved)
    }

    /// How many settings were found.
    fn read(&self) -> usize {
        self.told.len() + self.parts.len()
    }

    /// Puts what is taken over into what the policy is to say. `is_gpu_code` answers for modules of the project. What the
    /// command line says of the CPU part counts more.
    pub fn add_to(&mut self, wishes: &mut PolicyDraft, is_gpu_code: impl FnOnce(&[String]) -> Vec<String>) {
        if let Some(mut cpu) = self.cpu(is_gpu_code) {
            if let Some(said) = wishes.cpu.take() {
                cpu.entry_points = said.entry_points;
                cpu.seen = said.seen;
            }
            wishes.cpu = Some(cpu);
        }
        wishes.rules = self.rules.clone();
        wishes.exclude.clone_from(&self.exclude);
    }

    /// One part has one list of forbidden modules. What holds for all of the project is wider than what holds for a part.
    fn cpu(&mut self, is_gpu_code: impl FnOnce(&[String]) -> Vec<String>) -> Option<Cpu> {
        let mut cpu = Cpu { forbidden_imports: self.everywhere.clone(), ..Cpu::default() };
        let mut own = Vec::new();
        for part in &self.parts {
            own.extend(part.own.clone());
        }
        own.sort();
        own.dedup();
        let gpu_code = if own.is_empty() { Vec::new() } else { is_gpu_code(&own) };
        let mut told = Vec::new();
        for part in &self.parts {
            let (gpu, others): (Vec<_>, Vec<_>) =
                part.own.iter().cloned().partition(|module| gpu_code.contains(module));
            if !others.is_empty() {
                let becomes = "stays with import-linter: nothing on a GPU is found there; if it is GPU code, name it \
                               under cpu.gpu-modules";
                told.push(ImportedSetting::new(
                    &part.place,
                    format!("forbids {}", others.join(", ")),
                    becomes,
                ));
            }
            if part.forbidden.is_empty() && gpu.is_empty() {
                continue;
            }
            let mut beyond = part.forbidden.clone();
            beyond.retain(|module| !self.everywhere.contains(module));
            let what = format!("{} without {}", part.entry_points.join(", "), joined(&part.forbidden, &gpu));
            if self.everywhere.is_empty() {
                let mut becomes = "cpu.entry-points".to_owned();
                if !part.forbidden.is_empty() {
                    becomes.push_str(" and cpu.forbidden-imports");
                }
                if !gpu.is_empty() {
                    becomes.push_str(", and cpu.gpu-modules for the modules of the project");
                }
                becomes.push_str("; an import inside a function, which runs later, is allowed");
                told.push(ImportedSetting::new(&part.place, what, &becomes));
                add_new(&mut cpu.entry_points, &part.entry_points);
                add_new(&mut cpu.forbidden_imports, &part.forbidden);
            } else if beyond.is_empty() {
                told.push(ImportedSetting::new(
                    &part.place,
                    what,
                    "is part of what is forbidden to all of the project",
                ));
            } else {
                let becomes = format!(
                    "{} stays with import-linter: the policy has one list, and ruff's holds for all of the project; add it to \
                     cpu.forbidden-imports if no module may import it",
                    beyond.join(", ")
                );
                told.push(ImportedSetting::new(&part.place, what, &becomes));
            }
            add_new(&mut cpu.gpu_modules, &gpu);
        }
        let lists: Vec<&Vec<String>> =
            self.parts.iter().filter(|part| !part.forbidden.is_empty()).map(|part| &part.forbidden).collect();
        if self.everywhere.is_empty() && lists.iter().any(|list| *list != lists[0]) {
            let place = self.parts[0].place.split(", ").next().unwrap_or_default().to_owned();
            let becomes = "the policy has one list for the CPU part, so that each of these modules now has to do without all \
                           that one of them had to do without";
            told.push(ImportedSetting::new(&place, "contracts with different lists".to_owned(), becomes));
        }
        self.told.extend(told);
        let is_said = !cpu.forbidden_imports.is_empty() || !cpu.gpu_modules.is_empty();
        is_said.then_some(cpu)
    }

    /// A line for each setting, below the file and the key in which it stands.
    pub fn words(&self) -> String {
        let mut by_place: BTreeMap<&str, Vec<&ImportedSetting>> = BTreeMap::new();
        for told in &self.told {
            by_place.entry(&told.place).or_default().push(told);
        }
        let mut text = String::new();
        for (place, all) in by_place {
            let _ = writeln!(text, "{place}");
            for told in all {
                let _ = writeln!(text, "  {}: {}", told.what, told.becomes);
            }
        }
        text
    }

    fn tell(&mut self, place: &str, what: impl Into<String>, becomes: &str) {
        self.told.push(ImportedSetting::new(place, what.into(), becomes));
    }
}

impl ImportedSetting {
    fn new(place: &str, what: String, becomes: &str) -> ImportedSetting {
        ImportedSetting { place: place.to_owned(), what, becomes: becomes.to_owned() }
    }
}

/// Whether importing this module loads something for a GPU, itself or by what it imports, as far as gpulint knows libraries.
fn is_gpu_library(module: &str) -> bool {
    let mut known = vec![module.to_owned()];
    let mut next = 0;
    while let Some(module) = known.get(next) {
        next += 1;
        let Some(row) = RuleSet::embedded().knowledge.package(module) else { continue };
        if row.gpu_library || row.contact == DriverContact::CudaInit {
            return true;
        }
        add_new(&mut known, &row.imports);
    }
    false
}

/// Whether a dotted name is a module, and not something in one: `numba.cuda`, not `torch.cuda.synchronize`.
fn is_module(name: &str) -> bool {
    let row = RuleSet::embedded().knowledge.package(name);
    !name.contains('.') || row.is_some_and(|row| row.module == name)
}

fn add_new(to: &mut Vec<String>, more: &[String]) {
    for one in more {
        if !to.contains(one) {
            to.push(one.clone());
        }
    }
}

fn joined(one: &[String], other: &[String]) -> String {
    one.iter().chain(other).map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn word(tool: Tool) -> String {
    tool.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn shown(folder: &Path) -> String {
    match folder.as_os_str().is_empty() || folder == Path::new(".") {
        true => "this folder".to_owned(),
        false => folder.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_gpu_library, is_module};

    #[test]
    fn libraries_for_gpus_and_what_stands_in_them() {
        for library in ["torch", "cupy", "numba.cuda", "transformers", "torchvision"] {
            assert!(is_gpu_library(library) && is_module(library), "{library}");
        }
        for other in ["pandas", "numpy", "json", "team.gpu"] {
            assert!(!is_gpu_library(other), "{other}");
        }
        assert!(is_gpu_library("torch.cuda.synchronize") && !is_module("torch.cuda.synchronize"));
    }
}
