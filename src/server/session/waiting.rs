//! Questions that are answered when the next check has ended: the diagnostics of a document, and the hints between its lines.

use super::Session;
use crate::server::actions::touch;
use lsp_server::{ErrorCode, Request, RequestId};
use lsp_types::{Diagnostic, DocumentDiagnosticParams, InlayHint, InlayHintParams, Range};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What is asked for, and what was found so far.
#[derive(Default)]
pub struct Waiting {
    questions: Vec<Question>,
    /// Counts what was said about each document, so that what is known already need not be said again.
    said: BTreeMap<String, u64>,
    /// Documents of which something else is to be said than before, and nobody has asked since.
    news: BTreeSet<String>,
    /// By document, with its version.
    hints: BTreeMap<String, (Option<i32>, Vec<InlayHint>)>,
    has_asked_for_hints: bool,
}

struct Question {
    id: RequestId,
    uri: String,
    about: WaitingRequest,
}

enum WaitingRequest {
    /// With the name of the last answer.
    Diagnostics(Option<String>),
    Hints(Range),
}

impl Waiting {
    /// Notes that something else is to be said about a document.
    pub fn has_news(&mut self, uri: &str) {
        *self.said.entry(uri.to_owned()).or_default() += 1;
        self.news.insert(uri.to_owned());
    }

    /// Whether the next check is asked for hints.
    pub fn wants_hints(&self) -> bool {
        self.questions.iter().any(|question| matches!(question.about, WaitingRequest::Hints(_)))
    }

    /// What was known is about another state of the project.
    pub fn forget_hints(&mut self) {
        self.hints.clear();
    }
}

impl Session {
    pub(super) fn asked_for_diagnostics(&mut self, request: Request) {
        let Ok(params) = serde_json::from_value::<DocumentDiagnosticParams>(request.params) else {
            return self.out.refuse(request.id, ErrorCode::InvalidParams, "a document is to be named");
        };
        let about = WaitingRequest::Diagnostics(params.previous_result_id);
        self.ask_check(Question { id: request.id, uri: params.text_document.uri.0, about });
    }

    pub(super) fn asked_for_hints(&mut self, request: Request) {
        let Ok(params) = serde_json::from_value::<InlayHintParams>(request.params) else {
            return self.out.refuse(
                request.id,
                ErrorCode::InvalidParams,
                "a document and a range are to be named",
            );
        };
        if !self.options.shown.cards {
            return self.out.answer(request.id, json!([]));
        }
        self.waiting.has_asked_for_hints = true;
        let about = WaitingRequest::Hints(params.range);
        self.ask_check(Question { id: request.id, uri: params.text_document.uri.0, about });
    }

    fn ask_check(&mut self, question: Question) {
        if self.documents.get(&question.uri).is_none() {
            let nothing = match question.about {
                WaitingRequest::Diagnostics(_) => json!({"kind": "full", "items": []}),
                WaitingRequest::Hints(_) => json!([]),
            };
            return self.out.answer(question.id, nothing);
        }
        if let WaitingRequest::Hints(_) = question.about
            && !self.knows(&question)
        {
            // A check that was not asked for them has none.
            self.check_in(self.due.map_or(Duration::ZERO, |_| self.base.delay));
        }
        if self.knows(&question) || !self.will_check() {
            return self.answer_now(question);
        }
        self.waiting.questions.push(question);
    }

    fn will_check(&self) -> bool {
        self.is_checking || self.due.is_some()
    }

    /// Whether what is known is about the document as it is.
    fn knows(&self, question: &Question) -> bool {
        let uri = &question.uri;
        match question.about {
            WaitingRequest::Diagnostics(_) => self.current(uri).is_some(),
            WaitingRequest::Hints(_) => self
                .waiting
                .hints
                .get(uri)
                .is_some_and(|(version, _)| *version == self.documents.version(uri)),
        }
    }

    /// With what is known, which is about an older text while somebody is in the middle of a word.
    fn answer_now(&mut self, question: Question) {
        let Question { id, uri, about } = question;
        let answer: Value = match about {
            WaitingRequest::Diagnostics(previous) => {
                self.waiting.news.remove(&uri);
                let name = self.waiting.said.get(&uri).copied().unwrap_or_default().to_string();
                if previous.as_deref() == Some(name.as_str()) {
                    json!({"kind": "unchanged", "resultId": name})
                } else {
                    let notes = self.shown.get(&uri).map_or(&[][..], |said| &said.notes);
                    let items: Vec<&Diagnostic> = notes.iter().map(|note| &note.diagnostic).collect();
                    json!({"kind": "full", "resultId": name, "items": items})
                }
            }
            WaitingRequest::Hints(range) => {
                let known = self.waiting.hints.get(&uri).map_or(&[][..], |(_, hints)| hints);
                let is_there =
                    |hint: &&InlayHint| touch(Range { start: hint.position, end: hint.position }, range);
                json!(known.iter().filter(is_there).collect::<Vec<_>>())
            }
        };
        self.out.answer(id, answer);
    }

    /// Takes the hints of a check, and answers what can be answered now.
    pub(super) fn checked_for(&mut self, hints: Option<BTreeMap<String, Vec<InlayHint>>>) {
        let has_hints = hints.is_some();
        for (uri, hints) in hints.into_iter().flatten() {
            let version = self.current(&uri).map(|said| said.version);
            if let Some(version) = version {
                self.waiting.hints.insert(uri, (version, hints));
            }
        }
        for question in std::mem::take(&mut self.waiting.questions) {
            if self.knows(&question) || !self.will_check() {
                self.answer_now(question);
            } else {
                self.waiting.questions.push(question);
            }
        }
        if self.client.pulls && !self.waiting.news.is_empty() {
            self.waiting.news.clear();
            self.out.ask("workspace/diagnostic/refresh", Value::Null);
        }
        if self.client.refreshes_hints && self.waiting.has_asked_for_hints && !has_hints && !self.will_check()
        {
            self.out.ask("workspace/inlayHint/refresh", Value::Null);
        }
    }

    /// Nobody waits for the answer any more.
    pub(super) fn cancelled(&mut self, id: &Value) {
        let Ok(id) = serde_json::from_value::<RequestId>(id.clone()) else { return };
        if let Some(at) = self.waiting.questions.iter().position(|question| question.id == id) {
            let question = self.waiting.questions.remove(at);
            self.out.refuse(question.id, ErrorCode::RequestCanceled, "the editor needs it no more");
        }
    }

    /// Answers everybody at the end of the conversation.
    pub(super) fn refuse_waiting(&mut self) {
        for question in std::mem::take(&mut self.waiting.questions) {
            self.out.refuse(question.id, ErrorCode::RequestCanceled, "the conversation has ended");
        }
    }
}
