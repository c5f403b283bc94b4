//! What an editor offers to do about a finding.

use super::diagnostics::Note;
use super::documents::Document;
use super::encoding::{Encoding, Lines};
use crate::facts::Span;
use crate::languages::Choices;
use crate::silencing::comment_about;
use crate::sources::{Language, Source};
use lsp_types::{CodeAction, CodeActionKind, Command, Range, TextEdit};

/// The command that shows the page of a rule.
pub const EXPLAIN: &str = "gpulint.explainRule";

/// Something that can be done about a finding by changing its document.
struct Offer {
    title: String,
    edits: Vec<TextEdit>,
    /// It mends the fault, and does not only hide it.
    mends: bool,
}

/// The actions for one finding in a document. `with_edits` makes edits of the document a change of the workspace.
pub fn actions_for(
    note: &Note,
    file: Option<&Source>,
    document: &Document,
    encoding: Encoding,
    with_edits: impl Fn(Vec<TextEdit>) -> lsp_types::WorkspaceEdit,
) -> Vec<CodeAction> {
    let Some(rule) = &note.rule else { return Vec::new() };
    let offers = file.map(|file| offers(rule, note, file, document, encoding));
    let changes = offers.into_iter().flatten().map(|offer| CodeAction {
        title: offer.title,
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![note.diagnostic.clone()]),
        is_preferred: offer.mends.then_some(true),
        edit: Some(with_edits(offer.edits)),
        ..CodeAction::default()
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

/// What can be done by an edit. Fixes of rules belong here, before the comment that suppresses. `file` is the document as
/// a check reads it.
fn offers(rule: &str, note: &Note, file: &Source, document: &Document, encoding: Encoding) -> Vec<Offer> {
    let lines = Lines::of(&document.text);
    let place = lines.bytes(note.diagnostic.range, encoding);
    let place = Span::new(place.start, place.end);
    let choices = Choices { markdown_shell: true };
    let content = content_of(document, file.language);
    let ignore = comment_about(file, content, place, rule, choices).map(|(at, new_text)| {
        let at = lines.position(at, encoding);
        Offer {
            title: format!("gpulint: ignore {rule} here"),
            edits: vec![TextEdit { range: Range { start: at, end: at }, new_text }],
            mends: false,
        }
    });
    ignore.into_iter().collect()
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
