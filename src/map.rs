//! The map of a project: everything in it that touches a GPU, who leads there, and which card each program takes.
//!
//! One [`Map`] is made of the sources, and each format writes the same one:
//!
//! ```text
//! touchpoints  what happens to GPUs, as the programs were followed to it
//! imports      which module imports which, and when
//! switches     variables and constants that decide about GPUs, and which of them decide the same
//! chains       how the CPU part comes to a module that loads a GPU library
//! programs     which card each program takes, and what decides it
//! machine      the cards that there are, or are supposed to be
//! what_if      the same programs in another environment, or on another machine
//! drawing      the boxes and lines of a picture, and their layout
//!    │
//! json, markdown, dot, html, table   one writer for each format
//! ```

mod chains;
pub mod dot;
mod drawing;
pub mod html;
mod imports;
pub mod json;
mod layout;
mod machine;
pub mod markdown;
mod programs;
mod switches;
mod table;
mod touchpoints;
mod what_if;

pub use imports::{Edge, ImportKind};
pub use machine::{Card, Machine, MachineError};
pub use programs::ProgramLine;
pub use switches::{Decides, Rivals, Variable};
pub use table::write as write_table;
pub use touchpoints::{Kind, Touchpoint};
pub use what_if::{Change, WhatIf};

use crate::Outcome;
use crate::facts::{FileId, Place, Span};
use crate::findings::{Severity, Status};
use crate::program::{Judged, Program, Start};
use crate::rules::{Governed, RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Language, Skipped, Sources};
use crate::trace::started_file;
use imports::Found;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a project does with GPUs, and where.
#[derive(Debug, Serialize)]
pub struct Map {
    /// Those that touch a GPU or lead to one, by path.
    pub modules: Vec<Module>,
    /// The imports between them, and those of GPU libraries, by place.
    pub edges: Vec<Edge>,
    /// The ways on which the CPU part comes to a GPU library.
    pub chains: Vec<chains::Chain>,
    /// Which card each program takes.
    pub programs: Vec<ProgramLine>,
    pub variables: Vec<Variable>,
    pub rivals: Vec<Rivals>,
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
#[derive(Debug, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
#[derive(Debug, Serialize)]
pub struct Fault {
    pub rule: String,
    pub family: String,
    pub severity: Severity,
    pub message: String,
    #[serde(flatten)]
    pub spot: Spot,
    #[serde(skip)]
    pub place: Place,
}

/// A file that could not be read, or only in part.
#[derive(Debug, Serialize)]
pub struct Unread {
    pub path: String,
    pub reason: String,
}

/// A place as people read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Spot {
    pub path: String,
    /// Of a notebook, in which lines count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
    /// 1-based.
    pub line: u32,
}

impl Spot {
    pub fn of(sources: &Sources, place: Place) -> Spot {
        let position = sources.position(place);
        Spot { path: sources.file(place.file).name.clone(), cell: position.cell, line: position.line }
    }

    /// Where the line stands in its file: `12`, `cell 2:3`.
    pub fn line(&self) -> String {
        match self.cell {
            Some(cell) => format!("cell {cell}:{}", self.line),
            None => self.line.to_string(),
        }
    }
}

impl fmt::Display for Spot {
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

/// What following the programs came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Seen {
    Touched(touchpoints::Touch),
    Program(ProgramLine),
    /// A module was imported here while another one was.
    Entered(imports::Entered),
}

impl Judged for Seen {
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    fn shown_by(&mut self, _: FileId) {}
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
        let governed = Governed::of(settings, rules, sources)?;
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
        format!(
            "Of {}, {} touch a GPU or lead to one. Of {}, {using} use a GPU. Imports that lead from the CPU part into the GPU part: {crossing}; those of them that load a GPU library at once: {loading}.",
            counted(self.read, "file"),
            self.modules.len(),
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

/// What a map is made of.
struct Project<'a> {
    sources: &'a Sources,
    settings: &'a Settings,
    rules: &'a RuleSet,
    governed: &'a Governed<'a>,
}

/// What was found on one walk through all programs.
#[derive(Default)]
struct Survey {
    touches: Vec<touchpoints::Touch>,
    /// Those that stand in the text, whatever runs it.
    written: Vec<touchpoints::Touch>,
    programs: Vec<ProgramLine>,
    edges: Vec<Found>,
    entered: BTreeSet<imports::Entered>,
    switches: switches::Switches,
    /// The modules that the CPU part starts with; where no policy names any, the programs.
    cpu_entries: Vec<chains::Entry>,
    starts: BTreeMap<FileId, String>,
    gpu_modules: BTreeSet<FileId>,
    launchers: BTreeSet<FileId>,
}

impl Project<'_> {
    /// Follows all programs, with these variables in their environment; `whole` also reads how modules are written.
    fn survey(&self, given: &[(String, String)], whole: bool) -> Survey {
        let mut options = self.governed.options(self.settings, self.sources);
        options.asked.iter_mut().for_each(|asked| asked.imports_matter = true);
        options.given = given.to_vec();
        let (mut program, _) = crate::program_of(self.sources, self.settings, options, self.rules, None);
        let judge = |program: &Program<'_>, trace: &crate::program::trace::Trace, start: Start| {
            let mut seen: Vec<Seen> = Vec::new();
            if whole {
                seen.extend(touchpoints::touches_of(program, trace).into_iter().map(Seen::Touched));
                seen.extend(imports::entered_in(trace).map(Seen::Entered));
            }
            seen.extend(programs::lines_of(program, trace, start).into_iter().map(Seen::Program));
            seen
        };
        let distinct = |seen: &mut Vec<Seen>| {
            seen.sort();
            seen.dedup();
        };
        let mut survey = Survey::default();
        for seen in program.follow(judge, distinct, None).judged {
            match seen {
                Seen::Touched(touch) => survey.touches.push(touch),
                Seen::Program(line) => survey.programs.push(line),
                Seen::Entered(entered) => _ = survey.entered.insert(entered),
            }
        }
        if whole {
            program.until_loaded(|program| survey.read(program, self));
        }
        survey
    }
}

impl Survey {
    /// Reads how each file is written.
    fn read(&mut self, program: &Program<'_>, project: &Project<'_>) {
        let files = || (0..program.sources.files.len() as u32).map(FileId);
        let is_told = |file: &FileId| program.sources.file(*file).reported;
        self.edges = files().flat_map(|file| imports::edges_of(program, file)).collect();
        self.switches = switches::Switches::of(program, project.governed, files());
        let written = files().filter(is_told).flat_map(|file| touchpoints::written_in(program, file));
        let imported = self.edges.iter().filter(|found| is_told(&found.place.file)).filter_map(Found::touch);
        self.written = written.chain(imported).chain(self.switches.touches()).collect();
        self.starts = files().filter_map(|file| Some((file, started_file(program, file)?))).collect();
        let is_gpu_module = |file: &FileId| {
            let cpu = project.governed.at(*file).cpu.as_ref();
            cpu.is_some_and(|cpu| cpu.is_gpu_module(&program.dotted(*file)))
        };
        let python = files().filter(|file| program.sources.file(*file).is_python());
        self.gpu_modules = python.filter(is_gpu_module).collect();
        self.launchers = files().filter(|file| program.is_launcher(*file)).collect();
        let in_cpu_part = files().filter(|file| program.cpu_part(*file).contains(file));
        let imported = |file: FileId| {
            let entry = chains::Entry::imported(program, file);
            // Where every file is of the CPU part, the packages around it are entries themselves.
            let are_named =
                project.governed.at(file).cpu.as_ref().is_some_and(|cpu| !cpu.entry_points.is_empty());
            if are_named { entry } else { chains::Entry { packages: Vec::new(), shortest: true, ..entry } }
        };
        self.cpu_entries = in_cpu_part.map(imported).collect();
        if self.cpu_entries.is_empty() {
            let python = |file: &FileId| is_told(file) && program.sources.file(*file).is_python();
            let started = self.starts.keys().copied().filter(python);
            self.cpu_entries = started.map(|file| chains::Entry::started(program, file)).collect();
        }
    }

    fn map(self, project: &Project<'_>, outcome: Outcome, what_if: Option<WhatIf>) -> Map {
        let sources = project.sources;
        let mut touchpoints: BTreeMap<FileId, Vec<Touchpoint>> = BTreeMap::new();
        for touch in self.touches.iter().chain(&self.written) {
            touchpoints.entry(touch.place.file).or_default().push(touch.shown(sources));
        }
        let files = || (0..sources.files.len() as u32).map(FileId);
        let graph = imports::Graph::of(&self.edges, &self.entered, &self.gpu_modules);
        let part = |file: FileId| {
            let touched = touchpoints.get(&file).map_or(&[][..], Vec::as_slice);
            let is_gpu = graph.loads_itself(file)
                || self.gpu_modules.contains(&file)
                || touched.iter().any(|one| one.kind.is_on_gpu());
            (file, part_of(sources.file(file).language, is_gpu, self.launchers.contains(&file)))
        };
        let parts: BTreeMap<FileId, Part> = files().map(part).collect();
        // A program that is GPU code itself comes to a library in no surprising way.
        let asked =
            self.cpu_entries.iter().filter(|entry| !entry.is_started || parts[&entry.file] == Part::Cpu);
        let mut chains = chains::of(sources, &graph, asked, &self.gpu_modules);
        let told: BTreeSet<&str> = sources
            .files
            .iter()
            .filter(|source| source.reported)
            .map(|source| source.name.as_str())
            .collect();
        let is_told = |name: &str| told.contains(name);
        chains.retain(|chain| is_told(&chain.entry) || chain.hops.iter().any(|hop| is_told(&hop.spot.path)));
        let edges = graph.edges(sources, &parts);
        let mut faults: BTreeMap<FileId, Vec<Fault>> = BTreeMap::new();
        let active = outcome.findings.into_iter().filter(|finding| finding.status == Status::Active);
        for finding in active {
            faults.entry(finding.place.file).or_default().push(Fault {
                spot: Spot::of(sources, finding.place),
                place: finding.place,
                rule: finding.rule,
                family: finding.family,
                severity: finding.severity,
                message: finding.message,
            });
        }
        let on_edges: BTreeSet<&str> =
            edges.iter().flat_map(|edge| [edge.from.path.as_str(), edge.to.as_str()]).collect();
        let launchers: BTreeSet<&str> =
            self.programs.iter().filter_map(|line| Some(line.launcher.as_ref()?.path.as_str())).collect();
        let mut modules = Vec::new();
        for file in files() {
            let source = sources.file(file);
            let mut touchpoints = touchpoints.remove(&file).unwrap_or_default();
            let findings = faults.remove(&file).unwrap_or_default();
            let name = source.name.as_str();
            let is_named = on_edges.contains(name) || launchers.contains(name);
            if touchpoints.is_empty() && findings.is_empty() && !is_named {
                continue;
            }
            touchpoints.sort();
            touchpoints.dedup();
            modules.push(Module {
                path: source.name.clone(),
                language: source.language.name(),
                part: parts[&file],
                start: self.starts.get(&file).cloned(),
                loads_gpu_library: graph.loads(file),
                touchpoints,
                findings,
                file,
            });
        }
        modules.sort_by(|one, other| one.path.cmp(&other.path));
        let (variables, rivals) = self.switches.told(sources, &modules);
        let unread = |skipped: Skipped| Unread { path: skipped.path, reason: skipped.reason };
        let mut programs = self.programs;
        programs.sort();
        Map {
            modules,
            edges,
            chains,
            programs,
            variables,
            rivals,
            read: outcome.checked.len(),
            skipped: outcome.skipped.into_iter().map(unread).collect(),
            unfinished: outcome.unfinished,
            what_if,
        }
    }
}

fn part_of(language: Language, is_gpu: bool, is_launcher: bool) -> Part {
    match language {
        Language::Python | Language::Notebook | Language::Rust | Language::Markdown if is_gpu => Part::Gpu,
        Language::Python | Language::Notebook | Language::Rust | Language::Markdown => Part::Cpu,
        _ if is_launcher => Part::Launcher,
        _ => Part::Data,
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The whole of a file, for what is said of no line.
fn top_of(file: FileId) -> Place {
    Place { file, span: Span::default() }
}
