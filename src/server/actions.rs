//! What an editor offers to do about a finding.

use super::diagnostics::Note;
use super::documents::Document;
use super::encoding::{Encoding, Lines};
use super::remedies::{Change, Remedy};
use crate::facts::Span;
use crate::languages::Choices;
use crate::silencing::comment_about;
use crate::sources::{Language, Source};
use lsp_types::{CodeAction, CodeActionKind, Command, Range, TextEdit, WorkspaceEdit};

/// The command that shows the page of a rule.
pub const EXPLAIN: &str = "gpulint.explainRule";

/// The kind of the action that makes all safe fixes of a document.
pub const FIX_ALL: &str = "source.fixAll.gpulint";

/// Something that can be done about a finding by changing documents.
struct OfferedFix {
    title: String,
    changes: Vec<Change>,
    /// It mends the fault without changing anything else, and does not only hide it.
    is_preferred: bool,
}

/// The actions for one finding in a document. `with_changes` makes a change of the workspace, while the documents are
/// those that are meant.
pub fn actions_for(
    note: &Note,
    file: Option<&Source>,
    (uri, document): (&str, &Document),
    encoding: Encoding,
    with_changes: impl Fn(&[Change]) -> Option<WorkspaceEdit>,
) -> Vec<CodeAction> {
    let Some(rule) = &note.rule else { return Vec::new() };
    let hiding = file.and_then(|file| suppression(rule, note, file, (uri, document), encoding));
    let offers = note.remedy.iter().map(mending).chain(hiding);
    let changes = offers.filter_map(|offer| {
        Some(CodeAction {
            title: offer.title,
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: Some(vec![note.diagnostic.clone()]),
            is_preferred: offer.is_preferred.then_some(true),
            edit: Some(with_changes(&offer.changes)?),
            ..CodeAction::default()
        })
    });
    let explanation = CodeAction {
        title: format!("gpulint: explain {rule}"),
        diagnostics: Some(vec![note.diagnostic.clone()]),
        command: Some(Command {
            title: format!("Explain {rule}"),
            tooltip: None,
            command: EXPLAIN.to_owned(),
            arguments: Some(vec![rule.clone().into()]),
        }),
        ..CodeAction::default()
    };
    changes.chain([explanation]).collect()
}

/// The action that makes all safe fixes of a document.
pub fn fix_all(edit: WorkspaceEdit) -> CodeAction {
    CodeAction {
        title: "gpulint: fix all safe gpulint problems in this file".to_owned(),
        kind: Some(CodeActionKind::from(FIX_ALL)),
        edit: Some(edit),
        ..CodeAction::default()
    }
}

fn mending(remedy: &Remedy) -> OfferedFix {
    let risk = if remedy.is_safe { "" } else { " (may change behaviour)" };
    OfferedFix {
        title: format!("gpulint: {}{risk}", remedy.title),
        changes: remedy.changes.clone(),
        is_preferred: remedy.is_safe,
    }
}

/// The comment that suppresses a finding. `file` is the document as a check reads it.
fn suppression(
    rule: &str,
    note: &Note,
    file: &Source,
    (uri, document): (&str, &Document),
    encoding: Encoding,
) -> Option<OfferedFix> {
    let lines = Lines::of(&document.text);
    let place = lines.bytes(note.diagnostic.range, encoding);
    let place = Span::new(place.start, place.end);
    let choices = Choices { markdown_shell: true };
    let content = content_of(document, file.language);
    let (at, new_text) = comment_about(file, content, place, rule, choices)?;
    let at = lines.position(at, encoding);
    let edits = vec![TextEdit { range: Range { start: at, end: at }, new_text }];
    Some(OfferedFix {
        title: format!("gpulint: ignore {rule} here"),
        changes: vec![Change { uri: uri.to_owned(), version: Some(document.version), edits }],
        is_preferred: false,
    })
}

/// A document as a file of its own: a cell is a notebook that has no other.
pub fn file_of(uri: &str, document: &Document, language: Language) -> Source {
    Source::new(None, uri.to_owned(), language, content_of(document, language))
}

fn content_of(document: &Document, language: Language) -> String {
    match language {
        Language::Notebook => {
            let cell = serde_json::json!({"cell_type": "code", "source": [*document.text]});
            serde_json::json!({"cells": [cell]}).to_string()
        }
        _ => document.text.to_string(),
    }
}

/// Whether two ranges touch; editors ask with the empty range of a cursor.
pub fn touch(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
