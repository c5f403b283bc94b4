//! Which rules run, and how bad their findings are: policy and command line together.

use super::schema::Section;
use super::{Rule, RuleSet};
use crate::disk::absolute;
use crate::findings::Severity;
use crate::policy::Policy;
use globset::{Glob, GlobMatcher};
use rustc_hash::FxHashSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// A selector that names no rule, family or profile.
#[derive(Debug, thiserror::Error)]
pub struct UnknownSelector {
    /// As it was written.
    pub word: String,
    /// The id or family that is most like it, when one is.
    pub nearest: Option<String>,
    /// Profiles and families, or the rules of a family where single rules are meant.
    pub choices: Vec<String>,
}

impl fmt::Display for UnknownSelector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "unknown rule selector `{}`; ", self.word)?;
        match &self.nearest {
            Some(nearest) => write!(out, "did you mean `{nearest}`?"),
            None if self.choices.is_empty() => write!(out, "choose the id of a rule"),
            None => write!(out, "choose a rule id, or one of: {}", self.choices.join(", ")),
        }
    }
}

/// The rules that run, resolved.
pub struct Selection<'r> {
    rules: Vec<(&'r Rule, Severity)>,
    /// Ids of the rules that run where no path says otherwise.
    everywhere: FxHashSet<&'r str>,
    per_path: Vec<PathSelection>,
    overrides: Vec<(String, Severity)>,
    /// Ids of the rules that are selected and not ignored, whatever sections the policy has.
    admitted: FxHashSet<&'r str>,
    /// What the names of the files begin with that globs are about; they count from there.
    folder: String,
}

impl Section {
    /// Whether the policy has it; the CPU part may also come from the command line.
    pub fn is_in(self, policy: &Policy, has_cpu_part: bool) -> bool {
        match self {
            Section::Gpu => policy.gpu.is_some(),
            Section::Cpu => has_cpu_part,
            Section::Tests => !policy.tests.cleanup.is_empty(),
            Section::Backends => policy.supports_more_than_cuda(),
        }
    }
}

struct PathSelection {
    glob: GlobMatcher,
    select: Option<FxHashSet<String>>,
    ignore: FxHashSet<String>,
    severity: Vec<(String, Severity)>,
}

/// Profiles: names for sets of rules.
const PROFILES: &[&str] = &["recommended", "strict", "all"];

impl<'r> Selection<'r> {
    /// `select` of the command line goes before that of the policy; `ignore` adds to it. Selectors are read in any case.
    pub fn resolve(
        rules: &'r RuleSet,
        policy: &Policy,
        has_cpu_part: bool,
        select: &[String],
        ignore: &[String],
    ) -> Result<Selection<'r>, UnknownSelector> {
        let selectors = if select.is_empty() { &policy.rules.select } else { select };
        selectors.iter().try_for_each(|selector| known(rules, selector))?;
        let ignored = ids(rules, policy.rules.ignore.iter().chain(ignore))?;
        let profile = selectors
            .iter()
            .any(|selector| is_called(selector, "recommended") || is_called(selector, "strict"));
        let mut per_path = Vec::new();
        for (glob, settings) in &policy.rules.per_path {
            let Ok(glob) = Glob::new(glob) else { continue };
            per_path.push(PathSelection {
                glob: glob.compile_matcher(),
                select: settings.select.as_ref().map(|select| ids(rules, select)).transpose()?,
                ignore: ids(rules, &settings.ignore)?,
                severity: severities(rules, &settings.severity)?,
            });
        }
        let mut chosen = Vec::new();
        let mut everywhere = FxHashSet::default();
        let mut admitted = FxHashSet::default();
        for rule in rules.rules() {
            let names = |selector: &String| {
                is_named(rule, selector)
                    || is_called(selector, "all")
                    || (is_called(selector, "strict") && rule.is_strict())
            };
            let named = selectors.iter().any(names);
            let mut by_path =
                policy.rules.per_path.iter().filter_map(|(_, settings)| settings.select.as_ref());
            let somewhere = by_path.any(|select| select.iter().any(names));
            let in_policy = rule.policy.as_ref().filter(|given| given.section.is_in(policy, has_cpu_part));
            let is_on = rule.policy.is_some() || rule.severity.is_some();
            if (named || (profile && is_on)) && !ignored.contains(&rule.id) {
                admitted.insert(rule.id.as_str());
            }
            // A rule that is off by itself runs as a warning when somebody names it.
            let severity = in_policy
                .map(|policy_severity| policy_severity.severity)
                .or(rule.severity)
                .or((named || somewhere).then_some(Severity::Warning));
            let Some(severity) = severity else { continue };
            let by_itself = named || (profile && (in_policy.is_some() || rule.severity.is_some()));
            if by_itself && !ignored.contains(&rule.id) {
                everywhere.insert(rule.id.as_str());
            }
            if somewhere || everywhere.contains(rule.id.as_str()) {
                chosen.push((rule, severity));
            }
        }
        Ok(Selection {
            rules: chosen,
            everywhere,
            per_path,
            overrides: severities(rules, &policy.rules.severity)?,
            admitted,
            folder: String::new(),
        })
    }

    /// The same for a policy in a folder below the root: its globs count from there, and of the project's own rules only
    /// those run that it names itself (`own`); all where it is the only policy.
    pub(super) fn below(mut self, prefix: &str, folder: &Path, own: Option<&[PathBuf]>) -> Selection<'r> {
        prefix.clone_into(&mut self.folder);
        let Some(own) = own else { return self };
        let is_its = |rule: &Rule| {
            rule.own_of.as_ref().is_none_or(|of| own.iter().any(|named| absolute(&folder.join(named)) == *of))
        };
        self.rules.retain(|(rule, _)| is_its(rule));
        let runs: FxHashSet<&str> = self.rules.iter().map(|(rule, _)| rule.id.as_str()).collect();
        self.everywhere.retain(|id| runs.contains(id));
        self
    }

    /// Whether a rule by which another policy judges may be reported in a file.
    pub(super) fn admits(&self, id: &str, path: &str) -> bool {
        self.runs_from(self.admitted.contains(id), id, path)
    }

    /// The rules that run, with the severity that each has before per-rule and per-path settings.
    pub fn rules(&self) -> impl Iterator<Item = (&'r Rule, Severity)> + '_ {
        self.rules.iter().copied()
    }

    /// Whether a rule runs at all.
    pub fn runs(&self, id: &str) -> bool {
        self.rules.iter().any(|(rule, _)| rule.id == id)
    }

    /// Whether a rule runs where no path says otherwise.
    pub(super) fn runs_by_itself(&self, id: &str) -> bool {
        self.everywhere.contains(id)
    }

    /// Whether a rule runs in a file: the last path that says so decides.
    pub fn runs_in(&self, id: &str, path: &str) -> bool {
        self.runs_from(self.everywhere.contains(id), id, path)
    }

    fn runs_from(&self, by_itself: bool, id: &str, path: &str) -> bool {
        self.special_for(path).fold(by_itself, |runs, special| {
            let selected = special.select.as_ref().map_or(runs, |select| select.contains(id));
            selected && !special.ignore.contains(id)
        })
    }

    /// Whether a rule runs in every file.
    pub fn runs_everywhere(&self, id: &str) -> bool {
        let takes_out = |special: &PathSelection| {
            special.ignore.contains(id) || special.select.as_ref().is_some_and(|select| !select.contains(id))
        };
        self.everywhere.contains(id) && !self.per_path.iter().any(takes_out)
    }

    /// The severity that the policy sets for a rule in a file, when it sets one.
    pub fn severity_in(&self, id: &str, path: &str) -> Option<Severity> {
        let set = |overrides: &[(String, Severity)]| {
            overrides.iter().find(|(rule, _)| rule == id).map(|(_, severity)| *severity)
        };
        let special = self.special_for(path).filter_map(|special| set(&special.severity)).last();
        special.or_else(|| set(&self.overrides))
    }

    fn special_for<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a PathSelection> {
        let path = path.strip_prefix(self.folder.as_str()).unwrap_or(path);
        self.per_path.iter().filter(move |special| special.glob.is_match(path))
    }
}

fn severities<'s>(
    rules: &RuleSet,
    severities: impl IntoIterator<Item = (&'s String, &'s Severity)>,
) -> Result<Vec<(String, Severity)>, UnknownSelector> {
    severities
        .into_iter()
        .map(|(id, severity)| match rules.find(id) {
            Some(_) => Ok((id.clone(), *severity)),
            None => Err(unknown_rule(rules, id)),
        })
        .collect()
}

/// The ids that selectors stand for.
fn ids<'s>(
    rules: &RuleSet,
    selectors: impl IntoIterator<Item = &'s String>,
) -> Result<FxHashSet<String>, UnknownSelector> {
    let mut found = FxHashSet::default();
    for selector in selectors {
        known(rules, selector)?;
        let profile = is_profile(selector);
        let named = rules.rules().iter().filter(|rule| profile || is_named(rule, selector));
        found.extend(named.map(|rule| rule.id.clone()));
    }
    Ok(found)
}

fn known(rules: &RuleSet, selector: &str) -> Result<(), UnknownSelector> {
    if is_profile(selector) || rules.rules().iter().any(|rule| is_named(rule, selector)) {
        return Ok(());
    }
    Err(unknown(rules, selector))
}

fn is_profile(selector: &str) -> bool {
    PROFILES.iter().any(|profile| is_called(selector, profile))
}

/// Whether a selector is the id of a rule or its family.
fn is_named(rule: &Rule, selector: &str) -> bool {
    is_called(selector, &rule.id) || is_called(selector, &rule.family)
}

/// Who comes from ruff writes `ALL`.
fn is_called(selector: &str, name: &str) -> bool {
    selector.eq_ignore_ascii_case(name)
}

impl RuleSet {
    /// The ids of the rules that selectors stand for; a profile stands for all.
    pub fn ids_of(&self, selectors: &[String]) -> Result<FxHashSet<String>, UnknownSelector> {
        ids(self, selectors)
    }

    /// Every selector there is: profiles, families and ids.
    pub fn selectors(&self) -> Vec<String> {
        let mut selectors: Vec<String> = PROFILES.iter().map(|&profile| profile.to_owned()).collect();
        let mut families: Vec<&String> = self.rules().iter().map(|rule| &rule.family).collect();
        families.sort_unstable();
        families.dedup();
        selectors.extend(families.into_iter().cloned());
        selectors.extend(self.rules().iter().map(|rule| rule.id.clone()));
        selectors
    }
}

fn unknown(rules: &RuleSet, word: &str) -> UnknownSelector {
    let mut choices: Vec<String> = PROFILES.iter().map(|&profile| profile.to_owned()).collect();
    for rule in rules.rules() {
        if !choices.contains(&rule.family) {
            choices.push(rule.family.clone());
        }
    }
    let ids = rules.rules().iter().map(|rule| rule.id.as_str());
    let nearest = nearest(word, ids.chain(choices.iter().map(String::as_str))).map(str::to_owned);
    UnknownSelector { word: word.to_owned(), nearest, choices }
}

/// The same where single rules are named, and no families.
fn unknown_rule(rules: &RuleSet, word: &str) -> UnknownSelector {
    let of_family = rules.rules().iter().filter(|rule| rule.family == word);
    let choices: Vec<String> = of_family.map(|rule| rule.id.clone()).collect();
    let near = rules.nearest(word).filter(|_| choices.is_empty());
    UnknownSelector { word: word.to_owned(), nearest: near.map(str::to_owned), choices }
}

/// The candidate that is most like `word`, when one is close.
pub fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .map(|candidate| (strsim::normalized_damerau_levenshtein(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}
