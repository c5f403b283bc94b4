//! Holds rules that speak of how code is written against a file: those that name what they look for, and those that
//! only code can find.

use super::Rule;
use super::analyses::{self, Analysis, AskedPlace, HardwareFault, TensorFault};
use super::prefilter::{Prefilter, RequiredWords};
use super::uses;
use crate::code::walk::{CodeNode, walk};
use crate::code::{
    Code, Expr, ExprKind, FileParts, Function, Import, Statement, StatementKind, VisitCall, VisitStatement,
};
use crate::facts::{FileId, Place, Span};
use crate::findings::{Confidence, Finding, Related, RelativeTime, Severity};
use crate::policy::{Cpu, Policy};
use crate::program::{Names, Program, RunCommand};
use crate::sources::Language;
use rustc_hash::FxHashSet;
use std::cell::{LazyCell, OnceCell};

/// One file, as a rule about written code sees it.
pub(super) struct FileScope<'a> {
    pub program: &'a Program<'a>,
    pub policy: &'a Policy,
    /// The section in force for the CPU part.
    pub cpu: Option<&'a Cpu>,
    pub file: FileId,
    pub code: &'a Code<'a>,
    pub names: &'a Names<'a, 'a>,
    /// Its statements and calls, where all rules look at it; who looks at another file walks over its code.
    pub parts: Option<&'a FileParts<'a, 'a>>,
    pub answers: FileAnswers,
}

/// What several rules ask of a file, found when the first one asks.
#[derive(Default)]
pub(super) struct FileAnswers {
    /// The names that hold all options of the command line.
    pub options: OnceCell<FxHashSet<String>>,
    /// What is wrong about hardware.
    pub hardware: OnceCell<Vec<HardwareFault>>,
    /// Tensors on the wrong side.
    pub tensors: OnceCell<Vec<TensorFault>>,
}

/// Something that a rule found in a file.
pub(super) struct RawFinding {
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

impl RawFinding {
    pub fn at(place: Place) -> RawFinding {
        RawFinding {
            place,
            words: Vec::new(),
            related: Vec::new(),
            sure: true,
            at_most: None,
            at_least: None,
        }
    }

    pub fn word(mut self, name: &'static str, text: impl Into<String>) -> RawFinding {
        self.words.push((name, text.into()));
        self
    }

    pub fn beside(mut self, place: Place, message: impl Into<String>) -> RawFinding {
        self.related.push(Related { place, message: message.into(), moment: RelativeTime::Unordered });
        self
    }

    pub fn unsure(mut self) -> RawFinding {
        self.sure = false;
        self
    }

    pub fn at_least(mut self, severity: Severity) -> RawFinding {
        self.at_least = Some(severity);
        self
    }

    pub fn at_most(mut self, severity: Severity) -> RawFinding {
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

    /// The innermost function of this file that something stands in.
    pub fn innermost_function(&self, span: Span) -> Option<&'a Function<'a>> {
        let around = self.code.functions.iter().filter(|function| function.span.holds(span));
        around.min_by_key(|function| function.span.end - function.span.start)
    }

    /// Looks at each call of the file.
    pub fn each_call(&self, look: &mut VisitCall<'_, 'a, 'a>) {
        match self.parts {
            Some(parts) => parts.each_call(look),
            None => walk(self.code, &mut |part, around| {
                if let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part {
                    look(expr, call, around);
                }
            }),
        }
    }

    /// Looks at each statement of the file.
    pub fn each_statement(&self, look: &mut VisitStatement<'_, 'a, 'a>) {
        match self.parts {
            Some(parts) => parts.each_statement(look),
            None => walk(self.code, &mut |part, around| {
                if let CodeNode::Statement(step) = part {
                    look(step, around);
                }
            }),
        }
    }

    /// What the file imports, wherever that stands.
    pub fn each_import(&self, look: &mut dyn FnMut(&'a Import<'a>)) {
        match self.parts {
            Some(parts) => parts.imports.iter().for_each(|import| look(import)),
            None => walk(self.code, &mut |part, _| {
                if let CodeNode::Statement(Statement { kind: StatementKind::Import(import), .. }) = part {
                    look(import);
                }
            }),
        }
    }

    /// The text of the whole file.
    pub fn whole_text(&self) -> &'a str {
        &self.program.sources.file(self.file).text
    }

    /// The commands that this file runs.
    pub fn own_commands(&self) -> impl Iterator<Item = &'a RunCommand> + use<'a> {
        self.program.commands_in(self.file)
    }

    /// Whether another file in Python has this word.
    pub fn is_named_elsewhere(&self, word: &str) -> bool {
        let files = (0..self.program.sources.files.len() as u32).map(FileId);
        files.filter(|file| *file != self.file).any(|file| self.program.has_word(file, word))
    }

    pub fn language(&self) -> Language {
        self.program.sources.file(self.file).language
    }

    /// Others import this file, or it belongs to a package: it is no program by itself.
    pub fn is_library(&self) -> bool {
        self.program.start_of(self.file).is_none()
    }

    /// A file by itself.
    pub fn of(program: &'a Program<'a>, policy: &'a Policy, file: FileId, names: &'a Names<'a, 'a>) -> Self {
        let (code, answers) = (program.code(file), FileAnswers::default());
        FileScope { program, policy, cpu: None, file, code, names, parts: None, answers }
    }

    /// Another file of the project, looked at for the sake of this one.
    pub fn of_other<'b>(&'b self, file: FileId, names: &'b Names<'b, 'b>) -> FileScope<'b> {
        FileScope::of(self.program, self.policy, file, names)
    }

    /// Looks at another file of the project, with its names.
    pub fn in_other<R>(&self, file: FileId, look: impl FnOnce(&FileScope<'_>) -> R) -> R {
        let names = Names::of(self.program, file);
        look(&self.of_other(file, &names))
    }
}

/// What a file asks that decides about GPUs: variables of the environment, and constants.
pub fn asked_in(program: &Program<'_>, policy: &Policy, file: FileId) -> Vec<AskedPlace> {
    let names = Names::of(program, file);
    analyses::asked_in(&FileScope::of(program, policy, file, &names))
}

/// The rules of a run that look at files, ready to be held against each.
pub struct FileRules<'r> {
    rules: Vec<FileRule<'r>>,
    prefilter: Prefilter,
}

struct FileRule<'r> {
    rule: &'r Rule,
    severity: Severity,
    analysis: Option<&'static Analysis>,
}

impl<'r> FileRules<'r> {
    /// Takes what looks at files out of the rules that run; `amount` is how much text there is, in bytes.
    pub fn of(rules: impl Iterator<Item = (&'r Rule, Severity)>, amount: usize) -> FileRules<'r> {
        let mut found = Vec::new();
        let mut needs = Vec::new();
        for (rule, severity) in rules {
            let analysis = rule.find.analysis.as_deref().and_then(analyses::named);
            needs.push(match (&rule.find.uses, analysis) {
                (Some(uses), _) => RequiredWords {
                    texts: uses.names.keys().map(|name| uses::last_part(name)).collect(),
                    names: uses.names.keys().map(String::as_str).collect(),
                    ..RequiredWords::default()
                },
                (_, Some(analysis)) => analyses::need(analysis),
                _ => continue,
            });
            found.push(FileRule { rule, severity, analysis });
        }
        FileRules { rules: found, prefilter: Prefilter::of(&needs, amount) }
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
        let may_read = |index: usize| {
            let rule = self.rules[index].rule;
            rule.reads(source.language) || (!code.snippets.is_empty() && rule.reads(Language::Python))
        };
        let enabled = self.prefilter.enabled(code, &source.text, source.language, may_read);
        if !enabled.contains(&true) {
            return Vec::new();
        }
        let names = Names::of(program, file);
        let parts = FileParts::of(code);
        let scope = FileScope { cpu, parts: Some(&parts), ..FileScope::of(program, policy, file, &names) };
        let used = LazyCell::new(|| uses::Used::of(&scope));
        let mut findings = Vec::new();
        for (one, _) in self.rules.iter().zip(&enabled).filter(|(_, enabled)| **enabled) {
            let raw_findings = match one.analysis {
                Some(analysis) => {
                    let holds = |seen: &RawFinding| {
                        let mut when = one.rule.when.iter();
                        when.all(|condition| condition.holds_at(seen.place.span, &scope, &|_| true))
                    };
                    (analysis.look)(&scope).into_iter().filter(holds).collect()
                }
                None => used.raw_findings(one.rule, &scope),
            };
            let kept =
                raw_findings.into_iter().filter(|seen| one.rule.reads(program.language_at(seen.place)));
            findings.extend(kept.map(|seen| one.finding(seen, &scope)));
        }
        findings
    }
}

impl FileRule<'_> {
    fn finding(&self, seen: RawFinding, scope: &FileScope<'_>) -> Finding {
        let rule = self.rule;
        let library = rule.library_severity.filter(|_| scope.policy.gpu.is_none() && scope.is_library());
        let severity = library.unwrap_or(self.severity);
        let severity = seen.at_most.map_or(severity, |most| severity.min(most));
        let severity = seen.at_least.map_or(severity, |least| severity.max(least));
        let confidence = if seen.sure { rule.confidence } else { rule.confidence.min(Confidence::Medium) };
        Finding {
            confidence,
            advice: rule.advice.as_ref().map(|advice| filled(advice, &seen.words)),
            values: seen.words.iter().map(|(name, word)| ((*name).to_owned(), word.clone())).collect(),
            related: seen.related,
            ..Finding::new(
                (&rule.id, &rule.family),
                severity,
                seen.place,
                filled(&rule.message, &in_one_line(&seen.words)),
            )
        }
    }
}

/// Longer code of several lines is shown without what a call is given.
const MOST_CODE: usize = 80;

/// Code of several lines, as a message has it: in one, and of a long call only what is called.
fn in_one_line(words: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
    let one_line = |text: &String| {
        if !text.contains('\n') {
            return text.clone();
        }
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let joined = [(", )", ")"), ("( ", "("), (" )", ")"), ("[ ", "["), (" ]", "]")]
            .iter()
            .fold(joined, |code, (spaced, close)| code.replace(spaced, close));
        match joined.split_once('(') {
            Some((called, _)) if joined.chars().count() > MOST_CODE && joined.ends_with(')') => {
                format!("{called}(…)")
            }
            _ => joined,
        }
    };
    words.iter().map(|(name, text)| (*name, one_line(text))).collect()
}

fn filled(template: &str, words: &[(&'static str, String)]) -> String {
    let mut text = template.trim_end().to_owned();
    for (name, word) in words {
        text = text.replace(&format!("{{{name}}}"), word);
    }
    text
}
