//! gpulint tells you which GPU your code will touch, before it touches one.
//!
//! The folders are the hops of the pipeline:
//!
//! ```text
//! sources    which files, and the text of each
//!    │
//! languages  text → code: steps in the order in which they run (Python by ruff's parser)
//!    │       (and `versions`: what the project says of the packages it needs)
//! program    code → traces: what each program does to the environment and the GPU, in order,
//!    │       through local functions, project modules and package `__init__` files
//!    │       (what libraries do is data: `rules/effects/`, `rules/packages/`)
//! rules      traces → findings: one YAML file each, with its reason, sources and examples
//!    │
//! findings   suppressed, fingerprinted, held against the baseline, another state of the project (`comparison`, whose files
//!    │       `changes` has from git and `disk` puts in the place of others) or the changed lines; marked, never dropped
//! fixes      edits that mend findings, each proven to change nothing else
//!    │
//! report     one pure function per format
//! ```
//!
//! `server` takes the same way for what is open in an editor. `runtime` is about the machine: its GPUs, and commands that run
//! on them.
//!
//! [`policy`] is what a team wrote down, [`settings`] is what one run does with it, and [`check`] is the
//! whole way: `reading` says what of the files has to be read for it, `cache` knows what it found before where nothing changed
//! that it rests on, and `silencing` goes it twice to write comments that silence findings. `facts`, `code` and
//! `architectures` are the vocabulary and depend on nothing else here; each hop depends
//! on those before it only.

mod allocator;
pub mod architectures;
mod cache;
#[cfg(test)]
mod cards {
    mod tests;
}
mod changes;
pub mod cli;
pub mod code;
mod commands;
mod comparison;
pub mod disk;
pub mod facts;
pub mod findings;
pub mod fixes;
mod init;
pub mod languages;
mod masks;
pub mod policy;
pub mod program;
mod reading;
mod replacement;
pub mod report;
pub mod rules;
#[cfg(feature = "runtime")]
pub mod runtime;
mod server;
pub mod settings;
mod silencing;
pub mod sources;
pub mod trace;
pub mod versions;

#[doc(hidden)]
pub use server::hear as heard_by_server;

use facts::{FileId, Place};
use findings::suppressions::Suppression;
use findings::{Finding, Severity, Speaks, suppressions};
use languages::Choices;
use policy::{Cpu, Mode};
use program::trace::Trace;
use program::{Earlier, Judged, Memory, Options, Program, Start};
use rayon::prelude::*;
use reading::program_of;
use rules::{
    FileRules, Rule, RuleSet, Scope, ScopeKind, Selection, UnknownSelector, findings_of, soften_where_unread,
    speak_for_programs, speak_for_project,
};
use serde::{Deserialize, Serialize};
use settings::Settings;
use sources::{Language, Skipped, Source, Sources};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a run found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Sorted by file, place and rule; only those in files that are reported.
    pub findings: Vec<Finding>,
    /// Files that were checked, of those that are reported.
    pub checked: Vec<FileId>,
    /// Ids of the rules that ran.
    pub ran: Vec<String>,
    /// Files, and parts of files, that could not be read, or not as their language.
    pub skipped: Vec<Skipped>,
    /// Files whose programs were too large to be followed to their end, by name.
    pub unfinished: Vec<String>,
}

/// Checks all sources: the whole pipeline but the report.
///
/// # Errors
/// When the policy or the command line names a rule that does not exist.
pub fn check(sources: &Sources, settings: &Settings, rules: &RuleSet) -> Result<Outcome, UnknownSelector> {
    Ok(check_remembering(sources, settings, rules, None)?.0)
}

/// Checks all sources, and takes what earlier checks came to from there. What is to be kept for later ones comes with the
/// outcome, where there is anything new.
fn check_remembering(
    sources: &Sources,
    settings: &Settings,
    rules: &RuleSet,
    memory: Option<Memory<Finding>>,
) -> Result<(Outcome, Option<Earlier<Finding>>), UnknownSelector> {
    let policy = &settings.policy;
    let cpu = settings.cpu_section();
    let selection = Selection::resolve(rules, policy, cpu.is_some(), &settings.select, &settings.ignore)?;
    let options = settings.options(cpu.as_ref(), sources);
    let (mut program, skipped) = program_of(sources, settings, options, rules, memory.as_ref());
    let memory = memory.filter(|_| program.is_remembered());
    let is_asked = |finding: &Finding| {
        let path = &sources.file(finding.place.file).name;
        selection.runs_in(&finding.rule, path)
    };
    let silent = fixes::rule_about_devices(policy, rules).filter(|rule| !selection.runs_everywhere(&rule.id));
    let judge = |program: &Program<'_>, trace: &Trace, start: Start| {
        let scope = Scope::new(program, (policy, cpu.as_ref()), trace, ScopeKind::of(start));
        let found = selection.rules().flat_map(|(rule, severity)| findings_of(rule, severity, &scope));
        let mut findings: Vec<Finding> =
            found.filter(|finding| program.is_judged(finding.place.file)).collect();
        settle_severities(&mut findings, sources, &selection);
        let unasked = silent.into_iter().flat_map(|rule| findings_of(rule, Severity::Note, &scope));
        findings.extend(unasked.filter(|finding| !is_asked(finding)));
        keep_worst_of_each_place(&mut findings);
        findings
    };
    let followed = program.follow(judge, keep_worst_of_each_place, memory.as_ref());
    note_cost(&program);
    let (mut findings, unasked): (Vec<_>, Vec<_>) = followed.judged.into_iter().partition(is_asked);
    findings.retain(|finding| sources.file(finding.place.file).reported);
    findings.extend(program.for_all_checks(|program| {
        written_faults(program, settings, (cpu.as_ref(), memory.as_ref()), &selection)
    }));
    keep_worst_of_each_place(&mut findings);
    keep_stronger(&mut findings, &selection);
    let suppressions = program.until_loaded(|program| suppressions_of(program));
    // A comment is needed as long as anything that the policy selects finds something under it, whatever this run looks for.
    let by_policy = Selection::resolve(rules, policy, cpu.is_some(), &[], &[])?;
    suppress(&mut findings, &suppressions, sources, rules, (&selection, &by_policy));
    soften_where_unread(&mut findings, &program);
    speak_for_project(&mut findings, &program, &selection);
    let findings = program.until_loaded(|program| {
        let mut findings = findings.clone();
        let both = (findings.as_mut_slice(), unasked.as_slice());
        fixes::offer(both, program, (policy, cpu.as_ref()), rules, settings.min_severity);
        speak_for_programs(&mut findings, program);
        findings
    });
    let files = (0..sources.files.len()).map(|file| FileId(file as u32));
    let is_checked = |file: &FileId| {
        let source = sources.file(*file);
        source.reported && program.is_read(*file) && source.language != Language::Unread
    };
    let checked = files.filter(is_checked).collect();
    let ran = selection.rules().map(|(rule, _)| rule.id.clone()).collect();
    let skipped = sources.skipped.iter().cloned().chain(skipped).collect();
    let earlier = memory.and_then(|memory| memory.kept(&program));
    if settings.process_ends {
        std::mem::forget(program);
    }
    let unfinished = followed.unfinished.iter().map(|&file| sources.file(file).name.clone()).collect();
    Ok((Outcome { findings, checked, ran, skipped, unfinished }, earlier))
}

impl Judged for Finding {
    fn places(&self) -> Vec<Place> {
        let explained = self.related.iter().map(|related| related.place);
        [self.place].into_iter().chain(explained).collect()
    }

    fn shown_by(&mut self, program: FileId) {
        self.programs.push(program);
    }
}

/// Writes what following the programs cost to the file that GPULINT_WORK names, for `benches/`.
fn note_cost(program: &Program<'_>) {
    if let Some(file) = std::env::var_os("GPULINT_WORK")
        && let Err(error) = std::fs::write(&file, program.cost())
    {
        eprintln!("error: GPULINT_WORK: {}: {error}", file.display());
    }
}

/// What rules about written code find in the files that are reported.
fn written_faults(
    program: &Program<'_>,
    settings: &Settings,
    (cpu, memory): (Option<&Cpu>, Option<&Memory<Finding>>),
    selection: &Selection<'_>,
) -> Vec<Finding> {
    let sources = program.sources;
    // With a memory few files are searched.
    let searched = sources.files.iter().filter(|source| source.reported && memory.is_none_or(Memory::is_new));
    let amount = searched.map(|source| source.text.len()).sum();
    let rules = LazyLock::new(|| FileRules::of(selection.rules(), amount));
    let in_file = |(index, source): (usize, &Source)| {
        let file = FileId(index as u32);
        if !source.reported || !program.is_read(file) {
            return Vec::new();
        }
        let look = || rules.findings_in(program, &settings.policy, cpu, file);
        match memory {
            Some(memory) => memory.written(program, file, look),
            None => look(),
        }
    };
    let mut findings: Vec<Finding> = sources.files.par_iter().enumerate().flat_map_iter(in_file).collect();
    settle_severities(&mut findings, sources, selection);
    findings
}

/// Applies what the policy says about single rules and paths.
fn settle_severities(findings: &mut Vec<Finding>, sources: &Sources, selection: &Selection<'_>) {
    findings.retain_mut(|finding| {
        let path = &sources.file(finding.place.file).name;
        if let Some(severity) = selection.severity_in(&finding.rule, path) {
            finding.severity = severity;
        }
        selection.runs_in(&finding.rule, path)
    });
}

/// Where two rules speak of one fault, the one that says more of it is kept, unless it takes it less seriously.
fn keep_stronger(findings: &mut Vec<Finding>, selection: &Selection<'_>) {
    for (rule, _) in selection.rules().filter(|(rule, _)| !rule.yields_to.is_empty()) {
        let stronger: Vec<_> = findings
            .iter()
            .filter(|finding| rule.yields_to.contains(&finding.rule))
            .map(|finding| (finding.place, finding.severity))
            .collect();
        let is_said = |finding: &Finding| {
            stronger.iter().any(|(place, severity)| *place == finding.place && *severity >= finding.severity)
        };
        findings.retain(|finding| finding.rule != rule.id || !is_said(finding));
    }
}

/// Several programs may show the same fault: one finding is kept, the worst and surest.
fn keep_worst_of_each_place(findings: &mut Vec<Finding>) {
    findings.sort_by(|one, other| {
        let badness = |finding: &Finding| (finding.severity, finding.confidence);
        (one.place, &one.rule)
            .cmp(&(other.place, &other.rule))
            .then_with(|| badness(other).cmp(&badness(one)))
    });
    findings.dedup_by(|later, first| {
        let same = later.place == first.place && later.rule == first.rule;
        if same && later.mask != first.mask {
            first.mask = None;
        }
        if same {
            first.programs.append(&mut later.programs);
        }
        if same && later.speaks == Speaks::ForItself {
            first.speaks = Speaks::ForItself;
        }
        same
    });
    for finding in findings.iter_mut().filter(|finding| finding.programs.len() > 1) {
        finding.programs.sort_unstable();
        finding.programs.dedup();
    }
}

fn suppress(
    findings: &mut Vec<Finding>,
    suppressions: &[Suppression],
    sources: &Sources,
    rules: &RuleSet,
    (selection, by_policy): (&Selection<'_>, &Selection<'_>),
) {
    let names = rules.rules().iter().flat_map(|rule| [rule.id.as_str(), rule.family.as_str()]);
    let known: Vec<&str> = names.collect::<BTreeSet<_>>().into_iter().collect();
    let ran = |name: &str| {
        let is_meant = |rule: &&Rule| match name {
            suppressions::EVERY_RULE => !suppressions::is_about_suppressions(&rule.id),
            name => rule.family == name,
        };
        let mut meant =
            rules.rules().iter().filter(is_meant).filter(|rule| by_policy.runs(&rule.id)).peekable();
        selection.runs(name) || (meant.peek().is_some() && meant.all(|rule| selection.runs(&rule.id)))
    };
    suppressions::apply(findings, suppressions, sources, &known, &ran);
    settle_severities(findings, sources, selection);
}

/// The comments for gpulint in the files that are reported.
fn suppressions_of(program: &Program<'_>) -> Vec<Suppression> {
    let files = program.sources.files.iter().enumerate();
    let files = files.map(|(index, source)| (FileId(index as u32), source));
    let speaking = files.filter(|(file, source)| source.reported && program.has_comments(*file));
    let found = speaking.flat_map(|(file, source)| {
        let code = program.code(file);
        suppressions::suppressions_in(file, source, &code.comments, &code.lines)
    });
    found.collect()
}

impl Settings {
    fn language_choices(&self) -> Choices {
        Choices { markdown_shell: self.policy.languages.markdown_shell }
    }

    /// The section in force for the CPU part: the policy's, or that of `--mode cpu`.
    fn cpu_section(&self) -> Option<Cpu> {
        match (self.mode, &self.policy.cpu) {
            (Some(Mode::Gpu), _) => None,
            (_, Some(cpu)) => Some(cpu.clone()),
            (Some(Mode::Cpu), None) => Some(Cpu::default_for_mode()),
            (None, None) => None,
        }
    }

    fn options(&self, cpu: Option<&Cpu>, sources: &Sources) -> Options {
        Options {
            forbidden: cpu.map_or(Vec::new(), |cpu| {
                cpu.forbidden_imports.iter().map(|pattern| pattern.as_str().to_owned()).collect()
            }),
            imports_matter: self.policy.gpu.is_some(),
            cpu_part: cpu.cloned(),
            scripts: self.policy.scripts.clone(),
            tests: self.policy.tests.clone(),
            console_scripts: self.console_scripts(sources),
            every_gpu_file: self.policy.scripts.require_env == policy::RequireEnv::EveryGpuFile,
            budget: self.budget(sources),
            no_summaries: std::env::var_os("GPULINT_NO_SUMMARIES").is_some(),
        }
    }

    /// How far programs are followed, where `GPULINT_MOST_STEPS` says how far each may go. Tests set it, since programs that
    /// need more than is usual take long.
    fn budget(&self, sources: &Sources) -> Option<program::Budget> {
        let one = std::env::var("GPULINT_MOST_STEPS").ok()?.parse().ok()?;
        Some(program::Budget { one, ..program::Budget::of(sources.files.len()) })
    }
}
