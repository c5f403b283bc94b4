//! The map of a project: everything in it that touches a GPU, who leads there, and which card each program takes.
//!
//! One [`Map`] is made of the sources, and each format writes the same one:
//!
//! ```text
//! survey       all programs are followed, and all files looked at
//!    │
//! touchpoints  what happens to GPUs, as the programs were followed to it
//! imports      which module imports which, and when
//! switches     variables and constants that decide about GPUs, and which of them decide the same
//! chains       how the CPU part comes to a module that loads a GPU library
//! programs     which card each program takes, and what decides it
//! machine      the cards that there are, or are supposed to be
//! since        what is another map than that of an earlier state
//! what_if      the same programs in another environment, or on another machine
//! drawing      the boxes and lines of a picture; `folding` says which modules share a box, `layout` where it stands
//!    │
//! json, dot, html, table, tables   one writer for each format; `sheet` is what tables are written on
//! ```

mod chains;
pub mod dot;
mod drawing;
mod folding;
pub mod html;
pub(crate) mod imports;
pub mod json;
mod layout;
mod machine;
mod programs;
mod sheet;
mod since;
mod survey;
mod switches;
mod table;
pub mod tables;
mod touchpoints;
mod what_if;

pub use imports::{Edge, ImportKind};
pub use machine::{Card, Machine, MachineError};
pub use programs::{ProgramLine, lines_of, with_cards};
pub use sheet::Marks;
pub use since::Since;
pub use switches::{Decides, RivalSwitches, Variable};
pub use table::write as write_table;
pub use touchpoints::{Kind, Touchpoint};
pub use what_if::{Change, WhatIf};

use crate::facts::{FileId, Place, Span};
use crate::findings::Severity;
use crate::rules::{PolicyRulings, RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::Sources;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use survey::Project;

/// What a project does with GPUs, and where.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Map {
    /// Those that touch a GPU or lead to one, by path.
    pub modules: Vec<Module>,
    /// The imports between them, and those of GPU libraries, by place.
    pub edges: Vec<Edge>,
    /// The ways on which the CPU part comes to a GPU library.
    pub chains: Vec<chains::Chain>,
    /// How many more there are, each at least as long as those of its entry that are told.
    pub chains_left_out: usize,
    /// Which card each program takes.
    pub programs: Vec<ProgramLine>,
    /// Programs that are started in more environments than are followed.
    pub starts_left_out: Vec<StartsLeftOut>,
    pub variables: Vec<Variable>,
    pub rivals: Vec<RivalSwitches>,
    /// How many files were read: those that have nothing to do with GPUs are in no list.
    pub read: usize,
    pub skipped: Vec<Unread>,
    /// Files whose programs were not followed to their end.
    pub unfinished: Vec<String>,
    /// What another environment or machine changes, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIf>,
}

/// A file of the project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Module {
    pub path: String,
    pub language: &'static str,
    pub part: Part,
    /// How it is started, when it is a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Its import loads a GPU library, itself or through others.
    pub loads_gpu_library: bool,
    /// In the order of its lines.
    pub touchpoints: Vec<Touchpoint>,
    pub findings: Vec<Fault>,
    #[serde(skip)]
    pub file: FileId,
}

/// What a module is for the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// It starts programs, or sets variables for them: a shell script, a workflow, a file of settings.
    Launcher,
    /// It loads no GPU library by itself when it is imported, and does nothing on a GPU.
    Cpu,
    Gpu,
    /// Nothing that runs: data, a list of requirements, a compiled cache.
    Data,
}

/// A finding as the map shows it: those that a policy or a comment silences are none.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fault {
    pub rule: String,
    pub family: String,
    pub severity: Severity,
    pub message: String,
    #[serde(flatten)]
    pub spot: PlaceText,
    #[serde(skip)]
    pub place: Place,
}

/// A program with more environments than are followed of one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StartsLeftOut {
    pub path: String,
    /// How many starts are not followed; of several that are alike each counts.
    pub count: usize,
}

impl StartsLeftOut {
    /// What is missing, after the name of the program.
    pub fn words(&self) -> String {
        let starts = if self.count == 1 { "start" } else { "starts" };
        format!("{} more {starts} in other environments: eight are followed", self.count)
    }
}

/// A file that could not be read, or only in part.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Unread {
    pub path: String,
    pub reason: String,
}

/// A place as people read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct PlaceText {
    pub path: String,
    /// Of a notebook, in which lines count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
    /// 1-based.
    pub line: u32,
}

impl PlaceText {
    pub fn of(sources: &Sources, place: Place) -> PlaceText {
        let position = sources.position(place);
        PlaceText { path: sources.file(place.file).name.clone(), cell: position.cell, line: position.line }
    }

    /// Where the line stands in its file: `12`, `cell 2:3`.
    pub fn line(&self) -> String {
        match self.cell {
            Some(cell) => format!("cell {cell}:{}", self.line),
            None => self.line.to_string(),
        }
    }
}

impl fmt::Display for PlaceText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.path, self.line())
    }
}

/// What is asked of a map.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The cards that there are; what the policy says of them when nobody says more.
    pub machine: Option<Machine>,
    /// Variables that programs find when they are started, beside what their launchers set.
    pub given: Vec<(String, String)>,
}

impl Map {
    /// The map of all files that are reported.
    ///
    /// # Errors
    /// When a policy names a rule that does not exist.
    pub fn of(
        sources: &Sources,
        settings: &Settings,
        rules: &RuleSet,
        question: &Question,
    ) -> Result<Map, UnknownSelector> {
        let outcome = crate::check(sources, settings, rules)?;
        let governed = PolicyRulings::of(settings, rules, sources)?;
        let project = Project { sources, settings, rules, governed: &governed };
        let machine = question.machine.clone().unwrap_or_else(|| Machine::of_policy(&settings.policy));
        let mut survey = project.survey(&[], true);
        survey.programs.iter_mut().for_each(|line| line.take_cards(&machine));
        let what_if = (!question.given.is_empty()).then(|| {
            let mut changed = project.survey(&question.given, false).programs;
            changed.iter_mut().for_each(|line| line.take_cards(&machine));
            WhatIf::of(&question.given, &survey.programs, changed)
        });
        Ok(survey.map(&project, outcome, what_if))
    }

    /// Whether nothing of the project has to do with GPUs.
    pub fn is_empty(&self) -> bool {
        self.modules.is_empty() && !self.programs.iter().any(ProgramLine::uses_gpu)
    }

    /// What there is, in one or two sentences.
    pub fn headline(&self) -> String {
        if self.is_empty() {
            return format!("Nothing in {} has to do with GPUs.", counted(self.read, "file"));
        }
        let using = self.programs.iter().filter(|line| line.uses_gpu()).count();
        let crossing = self.crossing().count();
        let loading = self.crossing().filter(|edge| edge.loads_gpu_library).count();
        let touching = self.modules.len();
        let (touch, lead) = if touching == 1 { ("touches", "leads") } else { ("touch", "lead") };
        let used = if using == 1 { "uses" } else { "use" };
        format!(
            "Of {}, {touching} {touch} a GPU or {lead} to one. Of {}, {using} {used} a GPU. Imports that lead from the CPU part into the GPU part: {crossing}; those of them that load a GPU library at once: {loading}.",
            counted(self.read, "file"),
            counted(self.programs.len(), "program"),
        )
    }

    /// The module with this path.
    pub fn module(&self, path: &str) -> Option<&Module> {
        let at = self.modules.binary_search_by(|module| module.path.as_str().cmp(path)).ok()?;
        Some(&self.modules[at])
    }

    /// How often each kind of touchpoint stands in the project, and in how many modules.
    pub fn counts(&self) -> BTreeMap<Kind, (usize, usize)> {
        let mut counts: BTreeMap<Kind, (usize, usize)> = BTreeMap::new();
        for module in &self.modules {
            let kinds: BTreeSet<Kind> = module.touchpoints.iter().map(|touched| touched.kind).collect();
            for kind in kinds {
                let count = counts.entry(kind).or_default();
                count.0 += module.touchpoints.iter().filter(|touched| touched.kind == kind).count();
                count.1 += 1;
            }
        }
        counts
    }

    /// Imports that lead from the CPU part to the GPU part.
    pub fn crossing(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|edge| edge.crosses)
    }
}

impl Module {
    /// How bad the worst finding in it is.
    pub fn danger(&self) -> Option<Severity> {
        self.findings.iter().map(|fault| fault.severity).max()
    }
}

impl Part {
    pub fn word(self) -> &'static str {
        match self {
            Part::Launcher => "launcher",
            Part::Cpu => "CPU",
            Part::Gpu => "GPU",
            Part::Data => "data",
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The whole of a file, for what is said of no line.
fn top_of(file: FileId) -> Place {
    Place { file, span: Span::default() }
}
