//! What the editor asks: actions for a finding, what is known about a place, and the page of a rule.

use super::Session;
use crate::report::RULES_PAGE;
use crate::server::actions::{EXPLAIN, actions_for, file_of, fix_all, touch};
use crate::server::checks::language_of;
use crate::server::hover;
use crate::server::remedies::Change;
use lsp_server::{ErrorCode, Request};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, ExecuteCommandParams, Hover, HoverParams, MarkupContent,
    MarkupKind, MessageType, Range, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

impl Session {
    pub(super) fn answer(&mut self, request: Request) {
        let answer = match request.method.as_str() {
            "textDocument/codeAction" => read(&request).and_then(|params| shown(self.code_actions(&params))),
            "textDocument/hover" => read(&request).and_then(|params| shown(self.hover(&params))),
            "workspace/executeCommand" => read(&request).map(|params| {
                self.execute(&params);
                Value::Null
            }),
            method => {
                let why = format!("`{method}` is not something that gpulint does");
                return self.out.refuse(request.id, ErrorCode::MethodNotFound, &why);
            }
        };
        match answer {
            Ok(answer) => self.out.answer(request.id, answer),
            Err(error) => self.out.refuse(request.id, ErrorCode::InvalidParams, &error.to_string()),
        }
    }

    fn code_actions(&self, params: &CodeActionParams) -> Vec<CodeAction> {
        let uri = params.text_document.uri.as_ref();
        let Some(document) = self.documents.get(uri).filter(|_| self.client.knows_actions) else {
            return Vec::new();
        };
        let file = language_of(uri, &self.documents).map(|language| file_of(uri, document, language));
        let change = |changes: &[Change]| self.change_of(changes);
        let Some(said) = self.current(uri) else { return Vec::new() };
        let touched: Vec<_> =
            said.notes.iter().filter(|note| touch(note.diagnostic.range, params.range)).collect();
        let only = params.context.only.as_deref();
        // It is about the whole file; nobody needs to hear of it at every place who did not ask.
        let all = said.all_safe.iter().filter(|_| only.is_some() || !touched.is_empty());
        let all: Vec<_> = all.filter_map(|all| change(std::slice::from_ref(all)).map(fix_all)).collect();
        let actions = touched
            .into_iter()
            .flat_map(|note| actions_for(note, file.as_ref(), (uri, document), self.client.encoding, change));
        let is_wanted = |action: &CodeAction| {
            // An explanation is of no kind, and nobody asks for it by one.
            let kind = action.kind.as_ref().map_or("", CodeActionKind::as_str);
            only.is_none_or(|only| only.iter().any(|wanted| is_of_kind(kind, wanted.as_str())))
        };
        actions.chain(all).filter(is_wanted).collect()
    }

    /// A change of the workspace; `None` when a document is no longer what it is meant for.
    fn change_of(&self, changes: &[Change]) -> Option<WorkspaceEdit> {
        let is_meant = |change: &Change| self.documents.version(&change.uri) == change.version;
        if !changes.iter().all(is_meant) {
            return None;
        }
        if !self.client.versioned_edits {
            let changes =
                changes.iter().map(|change| (change.uri.as_str().into(), change.edits.clone())).collect();
            return Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
        }
        let document = |change: &Change| {
            let document = json!({"uri": change.uri, "version": change.version});
            serde_json::from_value(json!({"textDocument": document, "edits": change.edits})).ok()
        };
        let documents: Option<_> = changes.iter().map(document).collect();
        Some(WorkspaceEdit { document_changes: Some(documents?), ..WorkspaceEdit::default() })
    }

    fn hover(&self, params: &HoverParams) -> Option<Hover> {
        let place = &params.text_document_position_params;
        let here = Range { start: place.position, end: place.position };
        let notes = self.current_notes(place.text_document.uri.as_ref()).iter();
        let notes = notes.filter(|note| !note.page.is_empty() && touch(note.diagnostic.range, here));
        let notes: Vec<_> = notes.collect();
        let pages: Vec<&str> = notes.iter().map(|note| note.page.as_str()).collect();
        Some(Hover {
            contents: MarkupContent { kind: MarkupKind::Markdown, value: pages.join("\n---\n\n") }.into(),
            range: Some(notes.first()?.diagnostic.range),
        })
    }

    fn execute(&mut self, params: &ExecuteCommandParams) {
        let rule = params.arguments.iter().flatten().next().and_then(Value::as_str);
        let (EXPLAIN, Some(rule)) = (params.command.as_str(), rule) else { return };
        if self.client.shows_documents && hover::is_on_the_page(rule) {
            self.out
                .ask("window/showDocument", json!({"uri": format!("{RULES_PAGE}#{rule}"), "external": true}));
        } else {
            self.out.show(MessageType::Info, &hover::in_short(rule));
        }
    }
}

/// Whether a kind is the one that is wanted, or a part of it: `source.fixAll.gpulint` of `source`.
fn is_of_kind(kind: &str, wanted: &str) -> bool {
    wanted.is_empty()
        || kind.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn read<T: DeserializeOwned>(request: &Request) -> serde_json::Result<T> {
    T::deserialize(&request.params)
}

fn shown(answer: impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(answer)
}
