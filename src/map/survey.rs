//! One walk through all programs of a project, and a look at how its files are written: what a map is made of.

use super::imports::{self, Found};
use super::touchpoints::{self, Touchpoint};
use super::{
    Fault, Map, Module, Part, PlaceText, ProgramLine, StartsLeftOut, Unread, WhatIf, chains, programs,
    switches,
};
use crate::Outcome;
use crate::facts::{FileId, Place};
use crate::findings::Status;
use crate::program::trace::Trace;
use crate::program::{Program, ProgramFinding, Start};
use crate::rules::{PolicyRulings, RuleSet};
use crate::settings::Settings;
use crate::sources::{Language, Skipped, Sources};
use crate::trace::started_file;
use std::collections::{BTreeMap, BTreeSet};

/// What a map is made of.
pub(super) struct Project<'a> {
    pub sources: &'a Sources,
    pub settings: &'a Settings,
    pub rules: &'a RuleSet,
    pub governed: &'a PolicyRulings<'a>,
}

/// What was found on one walk through all programs.
#[derive(Default)]
pub(super) struct Survey {
    touches: Vec<touchpoints::Touch>,
    /// Those that stand in the text, whatever runs it.
    written: Vec<touchpoints::Touch>,
    pub programs: Vec<ProgramLine>,
    /// Of files, how many more starts there are.
    starts_left_out: BTreeMap<FileId, usize>,
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
    pub fn survey(&self, given: &[(String, String)], whole: bool) -> Survey {
        let mut options = self.governed.options(self.sources);
        options.asked.iter_mut().for_each(|asked| asked.imports_matter = true);
        options.given = given.to_vec();
        options.launchers_set_masks = true;
        options.follows_all = true;
        let (mut program, _) = crate::program_of(self.sources, self.settings, options, self.rules, None);
        let judge = |program: &Program<'_>, trace: &Trace, start: Start| {
            let mut seen: Vec<SurveyEntry> = Vec::new();
            if whole {
                seen.extend(touchpoints::touches_of(program, trace).into_iter().map(SurveyEntry::Touched));
                seen.extend(imports::entered_in(trace, start).map(SurveyEntry::Entered));
            }
            seen.extend(
                programs::lines_of(program, trace, start)
                    .into_iter()
                    .map(|line| SurveyEntry::Program(Box::new(line))),
            );
            seen
        };
        let distinct = |seen: &mut Vec<SurveyEntry>| {
            seen.sort();
            seen.dedup();
        };
        let mut survey = Survey::default();
        let followed = program.follow(judge, distinct, None);
        survey.starts_left_out = followed.starts_left_out;
        for seen in followed.judged {
            match seen {
                SurveyEntry::Touched(touch) => survey.touches.push(touch),
                SurveyEntry::Program(line) => survey.programs.push(*line),
                SurveyEntry::Entered(entered) => _ = survey.entered.insert(entered),
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
        touchpoints::without_followed(&self.touches, &mut self.written, program.sources);
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

    pub fn map(self, project: &Project<'_>, outcome: Outcome, what_if: Option<WhatIf>) -> Map {
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
        let (chains, chains_left_out) = chains::bounded(chains);
        let edges = graph.edges(sources, &parts);
        let mut faults: BTreeMap<FileId, Vec<Fault>> = BTreeMap::new();
        let active = outcome.findings.into_iter().filter(|finding| finding.status == Status::Active);
        for finding in active {
            faults.entry(finding.place.file).or_default().push(Fault {
                spot: PlaceText::of(sources, finding.place),
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
        let starts = self.starts_left_out.into_iter();
        let starts_left_out = starts
            .filter(|(file, _)| sources.file(*file).reported)
            .map(|(file, count)| StartsLeftOut { path: sources.file(file).name.clone(), count });
        let starts_left_out = starts_left_out.collect();
        Map {
            modules,
            edges,
            chains,
            chains_left_out,
            programs,
            starts_left_out,
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

/// What following the programs came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum SurveyEntry {
    Touched(touchpoints::Touch),
    Program(Box<ProgramLine>),
    /// A module was imported here while another one was.
    Entered(imports::Entered),
}

impl ProgramFinding for SurveyEntry {
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    fn shown_by(&mut self, _: FileId) {}
}
