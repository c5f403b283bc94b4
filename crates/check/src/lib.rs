//! The whole way from the files of a project to its findings, and through their fixes until nothing changes any more.
//!
//! `reading` says what of the files has to be read, [`check`] follows the programs, judges them and silences what comments
//! silence, and [`fix_loop`] tries fixes in memory until a check finds nothing more to mend.

pub mod corrections;
pub mod fix_loop;
mod reading;

pub use reading::program_of;

use gpulint_base::{code, facts, findings, settings, sources};
use gpulint_fixes as fixes;
use gpulint_languages as languages;
use gpulint_program as program;
use gpulint_rules as rules;

use facts::{FileId, Place};
use findings::suppressions::Suppression;
use findings::{Audience, Finding, Severity, Status, suppressions};
use program::trace::Trace;
use program::{Program, ResultCache, ResultStore, Start};
use rayon::prelude::*;
use rules::{
    FileRules, PolicyRulings, Rule, RuleSet, Ruling, Scope, ScopeKind, UnknownSelector, findings_of,
    gather_alike, soften_where_unread, speak_for_generated, speak_for_programs, speak_for_project,
};
use serde::{Deserialize, Serialize};
use settings::Settings;
use sources::{Language, Skipped, Source, Sources};
use std::collections::BTreeSet;
use std::ffi::OsStr;
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
    /// Warnings and errors that programs of the files which are reported show in others: the place, and the rule.
    #[serde(default)]
    pub elsewhere: Vec<(Place, String)>,
}

/// Checks all sources: the whole pipeline but the report.
///
/// # Errors
/// When the policy or the command line names a rule that does not exist.
pub fn check(sources: &Sources, settings: &Settings, rules: &RuleSet) -> Result<Outcome, UnknownSelector> {
    Ok(check_remembering(sources, settings, rules, None, None)?.0)
}

/// Somebody who looks at programs while they are judged. One may come more than once.
pub type Watch<'w> = &'w (dyn Fn(&Program<'_>, &Trace, Start) + Sync);

/// The same, and shows each program that is followed to somebody.
pub fn check_watched(
    sources: &Sources,
    settings: &Settings,
    rules: &RuleSet,
    watch: Watch<'_>,
) -> Result<Outcome, UnknownSelector> {
    Ok(check_remembering(sources, settings, rules, None, Some(watch))?.0)
}

/// Checks all sources, and takes what earlier checks came to from there. What is to be kept for later ones comes with the
/// outcome, where there is anything new.
pub fn check_remembering(
    sources: &Sources,
    settings: &Settings,
    rules: &RuleSet,
    memory: Option<ResultCache<Finding>>,
    watch: Option<Watch<'_>>,
) -> Result<(Outcome, Option<ResultStore<Finding>>), UnknownSelector> {
    let governed = PolicyRulings::of(settings, rules, sources)?;
    let mut options = governed.options(sources);
    options.follows_all = rules.has_own();
    let (mut program, skipped) = program_of(sources, settings, options, rules, memory.as_ref());
    let mut memory = memory.filter(|_| program.is_remembered());
    let name_of = |finding: &Finding| sources.file(finding.place.file).name.as_str();
    let is_asked_by = |ruling: &Ruling<'_>, finding: &Finding| {
        governed.is_asked(ruling, &finding.rule, finding.place.file, name_of(finding))
    };
    let judge = |program: &Program<'_>, trace: &Trace, start: Start| {
        if let Some(watch) = watch {
            watch(program, trace, start);
        }
        let ruling = governed.at(trace.entry.unwrap_or(FileId(0)));
        let Ruling { policy, cpu, selection, .. } = ruling;
        let scope = Scope::new(program, (policy, cpu.as_ref()), trace, ScopeKind::of(start));
        let found = selection.rules().flat_map(|(rule, severity)| findings_of(rule, severity, &scope));
        let mut findings: Vec<Finding> = found.filter(|one| scope.is_judged(one.place.file)).collect();
        findings.retain(|finding| is_asked_by(ruling, finding));
        apply_severities(&mut findings, sources, &governed);
        let silent = fixes::rule_about_devices(policy, rules);
        let silent = silent.filter(|rule| governed.has_several() || !selection.runs_everywhere(&rule.id));
        let unasked = silent.into_iter().flat_map(|rule| findings_of(rule, Severity::Note, &scope));
        findings.extend(unasked.filter(|finding| !is_asked_by(ruling, finding)));
        keep_worst_of_each_place(&mut findings);
        findings
    };
    let counted = std::env::var_os("GPULINT_WORK").inspect(|_| code::looks::count());
    let followed = program.follow(judge, keep_worst_of_each_place, memory.as_ref());
    let steps = program.cost();
    let is_asked = |finding: &Finding| is_asked_by(governed.about(finding), finding);
    let (mut findings, unasked): (Vec<_>, Vec<_>) = followed.judged.into_iter().partition(is_asked);
    let elsewhere: Vec<Finding> =
        findings.extract_if(.., |finding| !sources.file(finding.place.file).reported).collect();
    findings.extend(program.for_all_checks(|program| written_faults(program, &governed, memory.as_ref())));
    if let Some(file) = counted {
        note_cost(&file, &steps);
    }
    if let Some(memory) = memory.take_if(|memory| memory.is_shard()) {
        return Ok((Outcome::default(), memory.kept(&program)));
    }
    keep_worst_of_each_place(&mut findings);
    keep_stronger(&mut findings, &governed);
    let elsewhere = shown_elsewhere(elsewhere, &mut program, rules, &governed);
    let suppressions = program.until_loaded(|program| suppressions_of(program, &|_, source| source.reported));
    suppress(&mut findings, &suppressions, sources, rules, &governed);
    soften_where_unread(&mut findings, &program);
    speak_for_project(&mut findings, &program, &governed);
    speak_for_generated(&mut findings, &program, &governed);
    gather_alike(&mut findings, &program, &governed);
    let findings = program.until_loaded(|program| {
        let mut findings = findings.clone();
        let both = (findings.as_mut_slice(), unasked.as_slice());
        fixes::offer(both, program, &governed, rules, settings.min_severity);
        speak_for_programs(&mut findings, program);
        governed.name_policies(&mut findings);
        findings
    });
    let files = (0..sources.files.len()).map(|file| FileId(file as u32));
    let is_checked = |file: &FileId| {
        let source = sources.file(*file);
        source.reported && program.is_read(*file) && source.language != Language::Unread
    };
    let checked = files.filter(is_checked).collect();
    let ran = governed.rules().into_iter().map(|rule| rule.id.clone()).collect();
    let skipped = sources.skipped.iter().cloned().chain(skipped).collect();
    let earlier = memory.and_then(|memory| memory.kept(&program));
    if settings.process_ends {
        std::mem::forget(program);
    }
    let unfinished = followed.unfinished.iter().map(|&file| sources.file(file).name.clone()).collect();
    Ok((Outcome { findings, checked, ran, skipped, unfinished, elsewhere }, earlier))
}

/// Writes what following the programs cost, and how much of the code was looked at, as one line of JSON to the file that GPULINT_WORK
/// names: for `benches/`.
fn note_cost(file: &OsStr, steps: &str) {
    let looks = code::looks::counted();
    let counts = format!("{}, \"looks\": {looks}}}\n", steps.trim_end().trim_end_matches('}'));
    if let Err(error) = std::fs::write(file, counts) {
        eprintln!("error: GPULINT_WORK: {}: {error}", file.display());
    }
}

/// What rules about written code find in the files that are reported.
fn written_faults(
    program: &Program<'_>,
    governed: &PolicyRulings<'_>,
    memory: Option<&ResultCache<Finding>>,
) -> Vec<Finding> {
    let sources = program.sources;
    // With a memory few files are searched.
    let searched =
        sources.files.iter().filter(|source| source.reported && memory.is_none_or(ResultCache::is_new));
    let amount = searched.map(|source| source.text.len()).sum();
    let each = governed.each().iter();
    let rules = each.map(|one| LazyLock::new(move || FileRules::of(one.selection.rules(), amount)));
    let rules: Vec<LazyLock<FileRules<'_>, _>> = rules.collect();
    let in_file = |(index, source): (usize, &Source)| {
        let file = FileId(index as u32);
        if !source.reported || !program.is_read(file) {
            return Vec::new();
        }
        let ruling = governed.at(file);
        let rules = &rules[governed.number_of(file)];
        let look = || rules.findings_in(program, ruling.policy, ruling.cpu.as_ref(), file);
        match memory {
            Some(memory) => memory.written(program, file, look),
            None => look(),
        }
    };
    let mut findings: Vec<Finding> = sources.files.par_iter().enumerate().flat_map_iter(in_file).collect();
    retain_selected(&mut findings, sources, governed);
    apply_severities(&mut findings, sources, governed);
    findings
}

/// Leaves those of rules that run where they stand.
fn retain_selected(findings: &mut Vec<Finding>, sources: &Sources, governed: &PolicyRulings<'_>) {
    findings.retain(|finding| {
        let file = finding.place.file;
        governed.at(file).selection.runs_in(&finding.rule, &sources.file(file).name)
    });
}

/// Applies what policies say about single rules and paths.
fn apply_severities(findings: &mut [Finding], sources: &Sources, governed: &PolicyRulings<'_>) {
    for finding in findings {
        let file = finding.place.file;
        if let Some(severity) = governed.severity_in(&finding.rule, file, &sources.file(file).name) {
            finding.severity = severity;
        }
    }
}

/// Where two rules speak of one fault, the one that says more of it is kept, unless it takes it less seriously.
fn keep_stronger(findings: &mut Vec<Finding>, governed: &PolicyRulings<'_>) {
    for rule in governed.rules().into_iter().filter(|rule| !rule.yields_to.is_empty()) {
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
        if same && later.speaks == Audience::ForItself {
            first.speaks = Audience::ForItself;
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
    governed: &PolicyRulings<'_>,
) {
    let names = rules.rules().iter().flat_map(|rule| [rule.id.as_str(), rule.family.as_str()]);
    let known: Vec<&str> = names.collect::<BTreeSet<_>>().into_iter().collect();
    // A comment is needed as long as anything that the policy selects finds something under it, whatever this run looks for.
    let ran = |file: FileId, name: &str| {
        let Ruling { selection, by_policy, .. } = governed.at(file);
        let is_meant = |rule: &&Rule| match name {
            suppressions::EVERY_RULE => !suppressions::is_about_suppressions(&rule.id),
            name => rule.family == name,
        };
        let mut meant =
            rules.rules().iter().filter(is_meant).filter(|rule| by_policy.runs(&rule.id)).peekable();
        selection.runs(name) || (meant.peek().is_some() && meant.all(|rule| selection.runs(&rule.id)))
    };
    suppressions::apply(findings, suppressions, sources, &known, &ran);
    findings.retain(|finding| {
        let file = finding.place.file;
        !suppressions::is_about_suppressions(&finding.rule)
            || governed.at(file).selection.runs_in(&finding.rule, &sources.file(file).name)
    });
    apply_severities(findings, sources, governed);
}

/// Of what stands in files that are not reported: what programs of reported files show, and no comment silences.
fn shown_elsewhere(
    mut findings: Vec<Finding>,
    program: &mut Program<'_>,
    rules: &RuleSet,
    governed: &PolicyRulings<'_>,
) -> Vec<(Place, String)> {
    let sources = program.sources;
    findings.retain(|finding| {
        finding.severity >= Severity::Warning
            && finding.programs.iter().any(|file| sources.file(*file).reported)
    });
    if findings.is_empty() {
        return Vec::new();
    }
    keep_worst_of_each_place(&mut findings);
    let files: BTreeSet<FileId> = findings.iter().map(|finding| finding.place.file).collect();
    let silenced = program.until_loaded(|program| suppressions_of(program, &|file, _| files.contains(&file)));
    suppress(&mut findings, &silenced, sources, rules, governed);
    soften_where_unread(&mut findings, program);
    findings.retain(|finding| {
        finding.status == Status::Active
            && finding.severity >= Severity::Warning
            && !suppressions::is_about_suppressions(&finding.rule)
    });
    findings.into_iter().map(|finding| (finding.place, finding.rule)).collect()
}

/// The comments for gpulint in some of the files.
fn suppressions_of(program: &Program<'_>, wanted: &dyn Fn(FileId, &Source) -> bool) -> Vec<Suppression> {
    let files = program.sources.files.iter().enumerate();
    let files = files.map(|(index, source)| (FileId(index as u32), source));
    let speaking = files.filter(|(file, source)| wanted(*file, source) && program.has_comments(*file));
    let found = speaking.flat_map(|(file, source)| {
        let code = program.code(file);
        suppressions::suppressions_in(file, source, &code.comments, &code.lines)
    });
    found.collect()
}
