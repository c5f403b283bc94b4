//! What the editor asks: actions for a finding, what is known about a place, and the page of a rule.

use super::Session;
use crate::report::page_of;
use crate::server::actions::{EXPLAIN, actions_for, file_of, fix_all, touch};
use crate::server::checks::language_of;
use crate::server::encoding::Lines;
use crate::server::hover;
use crate::server::remedies::Change;
use lsp_server::{ErrorCode, Request};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, ExecuteCommandParams, Hover, HoverParams, MarkupContent,
    MarkupKind, MessageType, Position, Range, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

impl Session {
    pub(super) fn answer(&mut self, request: Request) {
        let answer = match request.method.as_str() {
            "textDocument/codeAction" => read(&request).and_then(|params| shown(self.code_actions(&params))),
            "codeAction/resolve" => match self.resolved(&request.params) {
                Some(action) => shown(action),
                None => {
                    let why = "the document has changed since; ask for its actions again";
                    return self.out.refuse(request.id, ErrorCode::ContentModified, why);
                }
            },
            "textDocument/diagnostic" => return self.asked_for_diagnostics(request),
            "textDocument/inlayHint" => return self.asked_for_hints(request),
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
        let Some(said) = self.current(uri).filter(|_| self.client.knows_actions) else { return Vec::new() };
        let touched = said.notes.iter().enumerate();
        let touched = touched.filter(|(_, note)| touch(note.diagnostic.range, params.range));
        let touched: Vec<usize> = touched.map(|(at, _)| at).collect();
        let only = params.context.only.as_deref();
        // It is about the whole file; nobody needs to hear of it at every place who did not ask.
        let asks_for_all = only.is_some() || !touched.is_empty();
        let all = asks_for_all.then_some(None);
        let actions = touched.into_iter().map(Some).chain(all).flat_map(|about| {
            let actions = self.actions_about(uri, about).into_iter();
            actions.map(move |action| self.offered(action, uri, about))
        });
        let is_wanted = |action: &CodeAction| {
            // An explanation is of no kind, and nobody asks for it by one.
            let kind = action.kind.as_ref().map_or("", CodeActionKind::as_str);
            only.is_none_or(|only| only.iter().any(|wanted| is_of_kind(kind, wanted.as_str())))
        };
        actions.filter(is_wanted).collect()
    }

    /// What can be done about a note of a document, by its number, or about all of them at once.
    fn actions_about(&self, uri: &str, about: Option<usize>) -> Vec<CodeAction> {
        let (Some(document), Some(said)) = (self.documents.get(uri), self.current(uri)) else {
            return Vec::new();
        };
        let change = |changes: &[Change]| self.change_of(changes);
        let Some(at) = about else {
            let all = said.all_safe.iter();
            return all.filter_map(|all| change(std::slice::from_ref(all)).map(fix_all)).collect();
        };
        let file = language_of(uri, &self.documents).map(|language| file_of(uri, document, language));
        let note = said.notes.get(at);
        let actions =
            note.map(|note| actions_for(note, file.as_ref(), (uri, document), self.client.encoding, change));
        actions.unwrap_or_default()
    }

    /// The action as it is offered: without its change where the editor asks for that later.
    fn offered(&self, action: CodeAction, uri: &str, about: Option<usize>) -> CodeAction {
        if !self.client.resolves_edits || action.edit.is_none() {
            return action;
        }
        let data = json!({"uri": uri, "version": self.documents.version(uri), "about": about, "title": action.title});
        CodeAction { edit: None, data: Some(data), ..action }
    }

    /// The action with its change, or as it is where it has none to come; `None` when its document is another by now.
    fn resolved(&self, action: &Value) -> Option<Value> {
        let data = &action["data"];
        let Some(uri) = data["uri"].as_str() else { return Some(action.clone()) };
        if self.documents.version(uri).map(i64::from) != data["version"].as_i64() {
            return None;
        }
        let about = data["about"].as_u64().and_then(|about| usize::try_from(about).ok());
        let mut actions = self.actions_about(uri, about).into_iter();
        let known = actions.find(|known| data["title"] == known.title.as_str())?;
        let mut resolved = action.clone();
        resolved["edit"] = serde_json::to_value(known.edit?).ok()?;
        Some(resolved)
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
        let uri = place.text_document.uri.as_ref();
        let here = Range { start: place.position, end: place.position };
        let notes = self.current_notes(uri).iter();
        let notes = notes.filter(|note| !note.page.is_empty() && touch(note.diagnostic.range, here));
        let notes: Vec<_> = notes.collect();
        let mut pages: Vec<String> = notes.iter().map(|note| note.page.clone()).collect();
        let mut range = notes.first().map(|note| note.diagnostic.range);
        if let Some((page, word)) = self.word_at(uri, place.position) {
            // A finding about a comment stands on all of it, and the rule that it names is another one.
            pages.insert(0, page);
            range = Some(word);
        }
        let contents = MarkupContent { kind: MarkupKind::Markdown, value: pages.join("\n---\n\n") };
        Some(Hover { contents: contents.into(), range: Some(range?) })
    }

    /// What there is to say about a word that is gpulint's own, and where it stands.
    fn word_at(&self, uri: &str, position: Position) -> Option<(String, Range)> {
        let document = self.documents.get(uri)?;
        let lines = Lines::of(&document.text);
        let line = lines.line(position.line);
        let start = lines.start(position.line);
        let at = lines.byte(position, self.client.encoding).checked_sub(start)?;
        let is_policy =
            ["/gpulint.yaml", "/gpulint.yml", "/pyproject.toml"].iter().any(|name| uri.ends_with(name));
        let (page, word) = hover::about_word(line, at, is_policy)?;
        Some((page, lines.range(start + word.start..start + word.end, self.client.encoding)))
    }

    fn execute(&mut self, params: &ExecuteCommandParams) {
        let rule = params.arguments.iter().flatten().next().and_then(Value::as_str);
        let (EXPLAIN, Some(rule)) = (params.command.as_str(), rule) else { return };
        match page_of(rule).filter(|_| self.client.shows_documents) {
            Some(page) => {
                self.out.ask("window/showDocument", json!({"uri": page, "external": true}));
            }
            None => self.out.show(MessageType::Info, &hover::in_short(rule)),
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
