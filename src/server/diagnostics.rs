//! Findings as editors show them.

use super::encoding::{Encoding, Lines};
use super::hover;
use super::remedies::Remedy;
use super::uri;
use crate::facts::{FileId, Place};
use crate::findings::{Finding, Severity};
use crate::report::page_of;
use crate::rules::RuleSet;
use crate::sources::{Language, Source, Sources};
use lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, Message, Position, Range,
};
use std::collections::HashMap;

/// A finding in a document: what is shown of it, and what else may be asked about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub diagnostic: Diagnostic,
    /// The rule; `None` when the note is about a policy.
    pub rule: Option<String>,
    /// What the rule says, in Markdown.
    pub page: String,
    pub remedy: Option<Remedy>,
}

/// How a file of a check is known to the editor.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The document with this name holds all of it.
    Document(String),
    /// A notebook that is open as one: the document of each cell, in their order.
    Cells(Vec<String>),
}

/// What notes are made with.
pub struct DiagnosticBuilder<'a> {
    pub sources: &'a Sources,
    pub rules: &'a RuleSet,
    /// Of the open files.
    pub origins: &'a HashMap<FileId, Origin>,
    pub encoding: Encoding,
    /// Of the notebooks that are open as text: what their files hold.
    pub raw_notebooks: &'a HashMap<FileId, String>,
    /// Of the open documents whose text is what was checked.
    pub versions: &'a HashMap<String, i32>,
}

impl DiagnosticBuilder<'_> {
    /// The note about a finding, and the document that it belongs to; `None` when it is in none that is open.
    pub fn note(&self, finding: &Finding) -> Option<(String, Note)> {
        self.origins.get(&finding.place.file)?;
        let location = self.location(finding.place);
        let related = finding.related.iter().map(|related| DiagnosticRelatedInformation {
            location: self.location(related.place),
            message: related.message.clone(),
        });
        let related: Vec<_> = related.collect();
        let mut message = finding.message.clone();
        if let Some(advice) = &finding.advice {
            message.push_str("\nhelp: ");
            message.push_str(advice.trim_end());
        }
        let diagnostic = Diagnostic {
            range: location.range,
            severity: Some(severity_of(finding.severity)),
            code: Some(Code::String(finding.rule.clone())),
            code_description: page_of(&finding.rule).map(|page| CodeDescription { href: page.into() }),
            source: Some("gpulint".to_owned()),
            message: Message::String(message),
            tags: tag_of(&finding.rule).map(|tag| vec![tag]),
            related_information: (!related.is_empty()).then_some(related),
            data: Some(serde_json::json!({"rule": finding.rule})),
        };
        let page = hover::page(self.rules.find(&finding.rule), finding);
        let remedy = self.remedy(finding);
        Some((location.uri.0, Note { diagnostic, rule: Some(finding.rule.clone()), page, remedy }))
    }

    fn location(&self, place: Place) -> Location {
        let source = self.sources.file(place.file);
        let (uri, range) = match self.origins.get(&place.file) {
            Some(Origin::Cells(documents)) => match self.in_cell(source, place, documents) {
                Some(found) => found,
                None => (on_disk(source), Range::default()),
            },
            Some(Origin::Document(uri)) => (uri.clone(), self.range(source, place)),
            None => (on_disk(source), self.range(source, place)),
        };
        Location { uri: uri.into(), range }
    }

    fn range(&self, source: &Source, place: Place) -> Range {
        if source.language != Language::Notebook {
            return Lines::of(&source.text).range(place.span.range(), self.encoding);
        }
        // The lines of JSON that hold the code.
        let (first, last) = source.file_lines(place.span);
        let end = self.raw_notebooks.get(&place.file).map_or(0, |raw| {
            let lines = Lines::of(raw);
            lines.position(lines.start(last - 1) + lines.line(last - 1).len(), self.encoding).character
        });
        Range {
            start: Position { line: first - 1, character: 0 },
            end: Position { line: last - 1, character: end },
        }
    }

    fn in_cell(&self, source: &Source, place: Place, documents: &[String]) -> Option<(String, Range)> {
        let number = source.position(place.span).cell?;
        let cells = source.cells.as_ref()?.as_ref().ok()?;
        let cell = cells.iter().find(|cell| cell.number == number)?;
        let text = &source.text[cell.range.clone()];
        let inside = |byte: usize| byte.saturating_sub(cell.range.start).min(text.len());
        let span = inside(place.span.start as usize)..inside(place.span.end as usize);
        let uri = documents.get(number as usize - 1)?.clone();
        Some((uri, Lines::of(text).range(span, self.encoding)))
    }
}

/// The note about a policy that cannot be used.
pub fn about_policy(message: &str, line: Option<u32>, text: &str, encoding: Encoding) -> Note {
    let lines = Lines::of(text);
    let line = line.map_or(0, |line| line - 1);
    let start = lines.start(line);
    let end = start + lines.line(line).len();
    let diagnostic = Diagnostic {
        range: lines.range(start..end, encoding),
        severity: Some(DiagnosticSeverity::Error),
        code: None,
        code_description: None,
        source: Some("gpulint".to_owned()),
        message: Message::String(message.to_owned()),
        tags: None,
        related_information: None,
        data: None,
    };
    Note { diagnostic, rule: None, page: String::new(), remedy: None }
}

fn on_disk(source: &Source) -> String {
    source.path.as_deref().map_or_else(|| source.name.clone(), uri::of_path)
}

/// A note is hidden on the command line unless it is asked for; editors show hints least of all.
fn severity_of(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Note => DiagnosticSeverity::Hint,
    }
}

/// Editors strike out what is deprecated, and fade what is of no use.
fn tag_of(rule: &str) -> Option<DiagnosticTag> {
    match rule {
        crate::findings::suppressions::UNUSED => Some(DiagnosticTag::Unnecessary),
        rule if rule.starts_with("deprecated-") => Some(DiagnosticTag::Deprecated),
        _ => None,
    }
}
