//! What an editor offers to do about a finding.

use super::diagnostics::Note;
use super::documents::Document;
use super::encoding::{Encoding, Lines};
use super::ignores::comment_for;
use crate::findings::suppressions::{UNKNOWN, UNUSED};
use crate::sources::Language;
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
    document: &Document,
    language: Option<Language>,
    encoding: Encoding,
    with_edits: impl Fn(Vec<TextEdit>) -> lsp_types::WorkspaceEdit,
) -> Vec<CodeAction> {
    let Some(rule) = &note.rule else { return Vec::new() };
    let offers = language.map(|language| offers(rule, note, document, language, encoding));
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

/// What can be done by an edit. Fixes of rules belong here, before the comment that suppresses.
fn offers(
    rule: &str,
    note: &Note,
    document: &Document,
    language: Language,
    encoding: Encoding,
) -> Vec<Offer> {
    if matches!(rule, UNUSED | UNKNOWN) {
        // The comment itself is wrong; another one is no way out.
        return Vec::new();
    }
    let lines = Lines::of(&document.text);
    let place = lines.bytes(note.diagnostic.range, encoding);
    let ignore = comment_for(rule, &document.text, language, place).map(|insertion| {
        let at = lines.position(insertion.at, encoding);
        Offer {
            title: format!("gpulint: ignore {rule} here"),
            edits: vec![TextEdit { range: Range { start: at, end: at }, new_text: insertion.text }],
            mends: false,
        }
    });
    ignore.into_iter().collect()
}

/// Whether two ranges touch; editors ask with the empty range of a cursor.
pub fn touch(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
