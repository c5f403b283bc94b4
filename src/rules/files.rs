//! Holds rules that speak of how code is written against a file: those that name what they look for, and those that
//! only code can find.

use super::Rule;
use super::analyses::{self, Analysis};
use super::uses;
use crate::code::Code;
use crate::facts::{FileId, Place, Span};
use crate::findings::{Confidence, Finding, Moment, Related, Severity, Status};
use crate::policy::{Cpu, Policy};
use crate::program::{Names, Program};
use crate::sources::Language;
use aho_corasick::AhoCorasick;
use aho_corasick::packed::Searcher;
use std::cell::LazyCell;

/// One file, as a rule about written code sees it.
pub(super) struct FileScope<'a> {
    pub program: &'a Program<'a>,
    pub policy: &'a Policy,
    /// The section in force for the CPU part.
    pub cpu: Option<&'a Cpu>,
    pub file: FileId,
    pub code: &'a Code<'a>,
    pub names: &'a Names<'a, 'a>,
}

/// Something that a rule found in a file.
pub(super) struct Sighting {
    pub place: Place,
    /// What the words of the message stand for.
    pub words: Vec<(&'static str, String)>,
    pub related: Vec<Related>,
    /// It is so on every reading of the code.
    pub sure: bool,
    /// At most this bad.
    pub at_most: Option<Severity>,
    /// At least this bad.
    pub at_least: Option<Severity>,
}

impl Sighting {
    pub fn at(place: Place) -> Sighting {
        Sighting { place, words: Vec::new(), related: Vec::new(), sure: true, at_most: None, at_least: None }
    }

    pub fn word(mut self, name: &'static str, text: impl Into<String>) -> Sighting {
        self.words.push((name, text.into()));
        self
    }

    pub fn beside(mut self, place: Place, message: impl Into<String>) -> Sighting {
        self.related.push(Related { place, message: message.into(), moment: Moment::Unordered });
        self
    }

    pub fn unsure(mut self) -> Sighting {
        self.sure = false;
        self
    }

    pub fn at_least(mut self, severity: Severity) -> Sighting {
        self.at_least = Some(severity);
        self
    }

    pub fn at_most(mut self, severity: Severity) -> Sighting {
        self.at_most = Some(severity);
        self
    }
}

impl<'a> FileScope<'a> {
    pub fn place(&self, span: Span) -> Place {
        Place { file: self.file, span }
    }

    /// What is written there.
    pub fn text(&self, span: Span) -> &'a str {
        self.program.text(self.place(span))
    }

    /// The text of the whole file.
    pub fn whole_text(&self) -> &'a str {
        &self.program.sources.file(self.file).text
    }

    /// Whether another file in Python has this word.
    pub fn is_named_elsewhere(&self, word: &str) -> bool {
        self.others_with(word).next().is_some()
    }

    /// The other files in Python that have this word.
    pub fn others_with(&self, word: &str) -> impl Iterator<Item = FileId> {
        let sources = self.program.sources.files.iter().enumerate();
        let others = sources.filter(move |(index, source)| {
            *index != self.file.0 as usize
                && matches!(source.language, Language::Python | Language::Notebook)
                && has_word(&source.text, word)
        });
        others.map(|(index, _)| FileId(index as u32))
    }

    pub fn language(&self) -> Language {
        self.program.sources.file(self.file).language
    }

    /// Others import this file, or it belongs to a package: it is no program by itself.
    pub fn is_library(&self) -> bool {
        self.program.start_of(self.file).is_none()
    }
}

/// The rules of a run that look at files, ready to be held against each.
pub struct FileRules<'r> {
    rules: Vec<FileRule<'r>>,
    /// Words without which no rule has anything to look for, each with the rules that it wakes.
    words: AhoCorasick,
    /// The same words, for the question whether there are any: many times as fast, and most files have none.
    /// Absent on machines that cannot search so, and for more words than it takes.
    any_word: Option<Searcher>,
    woken: Vec<Vec<usize>>,
}

struct FileRule<'r> {
    rule: &'r Rule,
    severity: Severity,
    analysis: Option<&'static Analysis>,
    /// It looks at every file of its languages.
    always: bool,
    /// Beside one of its words a file in Python must hold one of these.
    beside: Vec<&'r str>,
}

impl<'r> FileRules<'r> {
    /// Takes what looks at files out of the rules that run.
    pub fn of(rules: impl Iterator<Item = (&'r Rule, Severity)>) -> FileRules<'r> {
        let mut found = Vec::new();
        let mut words: Vec<&str> = Vec::new();
        let mut woken: Vec<Vec<usize>> = Vec::new();
        for (rule, severity) in rules {
            let analysis = rule.find.analysis.as_deref().and_then(analyses::named);
            let wanted: Vec<&str> = match (&rule.find.uses, analysis) {
                (Some(uses), _) => uses.names.keys().map(|name| uses::last_part(name)).collect(),
                (_, Some(analysis)) => analysis.words.to_vec(),
                _ => continue,
            };
            for word in &wanted {
                match words.iter().position(|known| known == word) {
                    Some(known) => woken[known].push(found.len()),
                    None => {
                        words.push(word);
                        woken.push(vec![found.len()]);
                    }
                }
            }
            let beside: Vec<&str> = match (&rule.find.uses, analysis) {
                (Some(uses), _) => uses.names.keys().map(|name| uses::part_before_last(name)).collect(),
                (_, Some(analysis)) => analyses::beside(analysis.name).to_vec(),
                _ => Vec::new(),
            };
            found.push(FileRule { rule, severity, analysis, always: wanted.is_empty(), beside });
        }
        FileRules {
            rules: found,
            words: AhoCorasick::new(&words).expect("a few words"),
            any_word: Searcher::new(&words),
            woken,
        }
    }

    /// What the rules find in one file.
    pub fn findings_in(
        &self,
        program: &Program<'_>,
        policy: &Policy,
        cpu: Option<&Cpu>,
        file: FileId,
    ) -> Vec<Finding> {
        let source = program.sources.file(file);
        let code = program.code(file);
        let may_read = |rule: &Rule| {
            rule.reads(source.language) || (!code.snippets.is_empty() && rule.reads(Language::Python))
        };
        let mut awake: Vec<bool> = self.rules.iter().map(|one| one.always && may_read(one.rule)).collect();
        let sleeping = self.rules.iter().any(|one| !one.always && may_read(one.rule));
        let has_any_word = || self.any_word.as_ref().is_none_or(|words| words.find(&source.text).is_some());
        if sleeping && has_any_word() {
            for found in self.words.find_overlapping_iter(&source.text) {
                for &rule in &self.woken[found.pattern().as_usize()] {
                    awake[rule] = awake[rule] || may_read(self.rules[rule].rule);
                }
            }
        }
        if matches!(source.language, Language::Python | Language::Notebook) {
            let has = |word: &&str| memchr::memmem::find(source.text.as_bytes(), word.as_bytes()).is_some();
            let has_any = |words: &[&str]| words.iter().any(has);
            for (awake, one) in awake.iter_mut().zip(&self.rules) {
                *awake = *awake && (one.beside.is_empty() || has_any(&one.beside));
            }
        }
        if !awake.contains(&true) {
            return Vec::new();
        }
        let names = Names::of(program, file);
        let scope = FileScope { program, policy, cpu, file, code, names: &names };
        let used = LazyCell::new(|| uses::Used::of(&scope));
        let mut findings = Vec::new();
        for (one, _) in self.rules.iter().zip(&awake).filter(|(_, awake)| **awake) {
            let sightings = match one.analysis {
                Some(analysis) => {
                    let holds = |seen: &Sighting| {
                        let mut when = one.rule.when.iter();
                        when.all(|condition| condition.holds_at(seen.place.span, &scope, &|_| true))
                    };
                    (analysis.look)(&scope).into_iter().filter(holds).collect()
                }
                None => used.sightings(one.rule, &scope),
            };
            let kept = sightings.into_iter().filter(|seen| one.rule.reads(program.language_at(seen.place)));
            findings.extend(kept.map(|seen| one.finding(seen, &scope)));
        }
        findings
    }
}

impl FileRule<'_> {
    fn finding(&self, seen: Sighting, scope: &FileScope<'_>) -> Finding {
        let rule = self.rule;
        let library = rule.library_severity.filter(|_| scope.policy.gpu.is_none() && scope.is_library());
        let severity = library.unwrap_or(self.severity);
        let severity = seen.at_most.map_or(severity, |most| severity.min(most));
        let severity = seen.at_least.map_or(severity, |least| severity.max(least));
        let confidence = if seen.sure { rule.confidence } else { rule.confidence.min(Confidence::Medium) };
        Finding {
            rule: rule.id.clone(),
            family: rule.family.clone(),
            severity,
            confidence,
            message: filled(&rule.message, &seen.words),
            advice: rule.advice.as_ref().map(|advice| filled(advice, &seen.words)),
            place: seen.place,
            related: seen.related,
            fix: None,
            status: Status::Active,
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    memchr::memmem::find_iter(text.as_bytes(), word)
        .any(|at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

fn filled(template: &str, words: &[(&'static str, String)]) -> String {
    let mut text = template.trim_end().to_owned();
    for (name, word) in words {
        text = text.replace(&format!("{{{name}}}"), word);
    }
    text
}
