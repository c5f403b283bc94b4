//! The policies of a run, each with the rules that it selects, and which of them governs each file. What a program must do is
//! said by the policy of the file that is started; what is reported in a file, by that of the file.

use super::{Rule, RuleSet, Selection, UnknownSelector};
use crate::facts::FileId;
use crate::findings::{Finding, Severity};
use crate::policy::{Cpu, Gpu, Policy};
use crate::program::{Asked, Budget, Options};
use crate::settings::{GoverningPolicy, Settings};
use crate::sources::{Sources, console_scripts};

/// The policies of a run.
pub struct PolicyRulings<'r> {
    each: Vec<Ruling<'r>>,
    /// The number of the one that governs each file; empty where one governs all.
    numbers: Vec<u16>,
}

/// One of them.
pub struct Ruling<'r> {
    pub policy: &'r Policy,
    /// Its file as reports name it, when it lies in the project.
    pub name: Option<String>,
    /// The section in force for the CPU part.
    pub cpu: Option<Cpu>,
    /// What the names of the files in its folder begin with.
    pub folder: String,
    /// The rules that run in this check.
    pub selection: Selection<'r>,
    /// Those that would run if nothing was typed.
    pub by_policy: Selection<'r>,
}

impl<'r> PolicyRulings<'r> {
    /// Holds the policies of a run against its rules and files.
    ///
    /// # Errors
    /// When one of them, or the command line, names a rule that does not exist.
    pub fn of(
        settings: &'r Settings,
        rules: &'r RuleSet,
        sources: &Sources,
    ) -> Result<PolicyRulings<'r>, UnknownSelector> {
        let ruling = |governing: GoverningPolicy<'r>| {
            let cpu = governing.cpu_section(settings.mode);
            let folder = governing.prefix(&settings.root);
            let select = |(select, ignore): (&[String], &[String])| {
                let selection = Selection::resolve(rules, governing.policy, cpu.is_some(), select, ignore)?;
                let own = settings.has_others().then_some(&*governing.policy.rules.paths);
                Ok(selection.below(&folder, governing.folder, own))
            };
            let selection = select((&settings.select, &settings.ignore))?;
            let by_policy = select((&[], &[]))?;
            let name = governing.name(&settings.root);
            Ok(Ruling { policy: governing.policy, name, cpu, folder, selection, by_policy })
        };
        let each = settings.governing().map(ruling).collect::<Result<Vec<_>, _>>()?;
        let numbers = match settings.has_others() {
            true => sources.files.iter().map(|source| settings.number_of(source) as u16).collect(),
            false => Vec::new(),
        };
        Ok(PolicyRulings { each, numbers })
    }

    /// The policy that governs a file, and so the programs that start with it.
    pub fn at(&self, file: FileId) -> &Ruling<'r> {
        &self.each[self.number_of(file)]
    }

    /// The number of the policy that governs a file.
    pub fn number_of(&self, file: FileId) -> usize {
        self.numbers.get(file.0 as usize).copied().map_or(0, usize::from)
    }

    /// Whether there are more than one.
    pub fn has_several(&self) -> bool {
        self.each.len() > 1
    }

    /// The policy that a finding is about: that of the programs which show it, else of its file.
    pub fn about(&self, finding: &Finding) -> &Ruling<'r> {
        self.at(finding.programs.first().copied().unwrap_or(finding.place.file))
    }

    /// Says in each finding which policies it is judged by, where there are several: those of the programs that show it say
    /// what must be, and that of its file what is reported there.
    pub fn name_policies(&self, findings: &mut [Finding]) {
        if !self.has_several() {
            return;
        }
        for finding in findings {
            let files = finding.programs.iter().copied().chain([finding.place.file]);
            let mut numbers: Vec<usize> = Vec::new();
            for number in files.map(|file| self.number_of(file)) {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            finding.policies = numbers.iter().filter_map(|&number| self.each[number].name.clone()).collect();
        }
    }

    /// Whether all these files are governed by one policy.
    pub fn is_one(&self, files: impl IntoIterator<Item = FileId>) -> bool {
        let mut numbers = files.into_iter().map(|file| self.numbers.get(file.0 as usize));
        let first = numbers.next();
        numbers.all(|number| Some(number) == first)
    }

    /// All of them.
    pub fn each(&self) -> &[Ruling<'r>] {
        &self.each
    }

    /// The rules that run somewhere, by id.
    pub fn rules(&self) -> Vec<&'r Rule> {
        let mut rules: Vec<&Rule> =
            self.each.iter().flat_map(|one| one.selection.rules().map(|(rule, _)| rule)).collect();
        if self.each.len() > 1 {
            rules.sort_by(|one, other| one.id.cmp(&other.id));
            rules.dedup_by(|one, other| one.id == other.id);
        }
        rules
    }

    /// Whether a rule by which a policy judges is reported in a file, which another may govern: that may ignore it, or
    /// select others.
    pub fn is_asked(&self, judging: &Ruling<'r>, rule: &str, file: FileId, name: &str) -> bool {
        let own = self.at(file);
        match std::ptr::eq(own, judging) {
            true => own.selection.runs_in(rule, name),
            false => judging.selection.runs_by_itself(rule) && own.selection.admits(rule, name),
        }
    }

    /// The severity that the policy of a file sets for a rule there, when it sets one.
    pub fn severity_in(&self, rule: &str, file: FileId, name: &str) -> Option<Severity> {
        self.at(file).selection.severity_in(rule, name)
    }

    /// What changes how programs are followed.
    pub fn options(&self, sources: &Sources) -> Options {
        let asked = |one: &Ruling<'_>| Asked {
            folder: one.folder.clone(),
            forbidden: one
                .cpu
                .iter()
                .flat_map(|cpu| &cpu.forbidden_imports)
                .map(|it| it.as_str().to_owned())
                .collect(),
            imports_matter: one.policy.gpu.is_some(),
            cpu_part: one.cpu.clone(),
            scripts: one.policy.scripts.clone(),
            tests: one.policy.tests.clone(),
            cards: one.policy.gpu.as_ref().filter(|gpu| !gpu.accepted_masks().is_empty()).map(Gpu::cards),
            every_gpu_file: one.policy.scripts.require_env == crate::policy::RequireEnv::EveryGpuFile,
        };
        Options {
            asked: self.each.iter().map(asked).collect(),
            governing: self.numbers.clone(),
            console_scripts: console_scripts(sources),
            budget: budget(sources),
            no_summaries: std::env::var_os("GPULINT_NO_SUMMARIES").is_some(),
            given: Vec::new(),
            launchers_set_masks: false,
            follows_all: false,
        }
    }
}

/// How far programs are followed, where `GPULINT_MOST_STEPS` says how far each may go. Tests set it, since programs that
/// need more than is usual take long.
fn budget(sources: &Sources) -> Option<Budget> {
    let one = std::env::var("GPULINT_MOST_STEPS").ok()?.parse().ok()?;
    Some(Budget { one, ..Budget::of(sources.files.len()) })
}
