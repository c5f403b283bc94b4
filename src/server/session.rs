//! One conversation with an editor: what is open, what it was told about it, and what is to be checked next.

use super::checks::{CheckAnswer, Checked, Job};
use super::client::{Client, folder_at};
use super::diagnostics::Note;
use super::documents::Documents;
use super::outgoing::Outgoing;
use super::projects::Trouble;
use super::{Event, Options, parent};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use lsp_types::{MessageType, PublishDiagnosticsParams};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

mod asked;
mod policies;
mod settings;
mod told;
mod waiting;

use policies::PolicyFiles;
use waiting::Waiting;

/// While somebody types without a pause, a check starts this often.
const LONGEST_DELAY: Duration = Duration::from_secs(1);

/// Names the progress of the first check.
const READING: &str = "gpulint/reading";

pub struct Session {
    pub(super) out: Outgoing,
    pub(super) client: Client,
    pub(super) documents: Documents,
    pub(super) folders: Vec<PathBuf>,
    /// What the editor shows, by the names of documents.
    pub(super) shown: BTreeMap<String, CheckAnswer>,
    /// What the command line says.
    base: Arc<Options>,
    /// The same with what the editor says.
    options: Arc<Options>,
    /// What the editor said last.
    settings: Value,
    settings_asked: Option<RequestId>,
    pub(super) waiting: Waiting,
    /// The first look at a project is under way, or is over.
    reading: FirstRead,
    phase: Phase,
    events: Sender<Event>,
    jobs: Sender<Job>,
    due: Option<CheckDeadline>,
    is_checking: bool,
    disk_changed: bool,
    troubles: BTreeSet<Trouble>,
    policies: PolicyFiles,
    has_told_of_fault: bool,
}

/// The first check reads a project, and takes as long as all that follow; editors show that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstRead {
    Expected,
    Shown,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Expected,
    Running,
    ShutDown,
}

/// When the next check is to start.
#[derive(Clone, Copy)]
struct CheckDeadline {
    /// Of the first change that it is about.
    since: Instant,
    at: Instant,
}

impl Session {
    pub fn new(out: Outgoing, options: Arc<Options>, events: Sender<Event>, jobs: Sender<Job>) -> Self {
        Session {
            out,
            client: Client::default(),
            documents: Documents::default(),
            folders: Vec::new(),
            shown: BTreeMap::new(),
            base: Arc::clone(&options),
            options,
            settings: Value::Null,
            settings_asked: None,
            waiting: Waiting::default(),
            reading: FirstRead::Expected,
            phase: Phase::Expected,
            events,
            jobs,
            due: None,
            is_checking: false,
            disk_changed: false,
            troubles: BTreeSet::new(),
            policies: PolicyFiles::default(),
            has_told_of_fault: false,
        }
    }

    /// When something is to be done although nothing happens.
    pub fn wakes_at(&self) -> Option<Instant> {
        if self.is_checking {
            return None;
        }
        self.due.map(|due| due.at).into_iter().chain(self.policies.looked_at_again()).min()
    }

    /// Takes note of what happened; the exit code when this is the end.
    pub fn handle(&mut self, event: Event) -> Option<u8> {
        match event {
            Event::Message(Message::Request(request)) => self.asked(request),
            Event::Message(Message::Notification(told)) => return self.told(told),
            Event::Message(Message::Response(response)) => self.answered(response),
            Event::Unreadable { what, id } => {
                self.out.not_understood(id, &format!("a message that cannot be understood: {what}"));
            }
            Event::Checked(checked) => self.publish(checked),
            Event::Closed | Event::ParentEnded => return Some(self.exit_code()),
        }
        None
    }

    fn exit_code(&self) -> u8 {
        u8::from(self.phase != Phase::ShutDown)
    }

    fn asked(&mut self, request: Request) {
        match (self.phase, request.method.as_str()) {
            (Phase::Expected, "initialize") => self.begin(request),
            (Phase::Expected, _) => {
                self.out.refuse(request.id, ErrorCode::ServerNotInitialized, "`initialize` comes first");
            }
            (Phase::ShutDown, _) => {
                self.out.refuse(
                    request.id,
                    ErrorCode::InvalidRequest,
                    "after `shutdown` there is only `exit`",
                );
            }
            (Phase::Running, "initialize") => {
                self.out.refuse(request.id, ErrorCode::InvalidRequest, "`initialize` comes once");
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.due = None;
                self.refuse_waiting();
                self.out.answer(request.id, ());
            }
            (Phase::Running, _) => self.answer(request),
        }
    }

    fn begin(&mut self, request: Request) {
        self.client = Client::of(&request.params);
        self.folders.clone_from(&self.client.folders);
        self.phase = Phase::Running;
        if let Some(process) = self.client.process {
            parent::watch(process, self.events.clone());
        }
        self.out.answer(request.id, self.client.greeting());
        self.take_settings(&request.params["initializationOptions"]);
        self.due = None;
    }

    fn told(&mut self, told: Notification) -> Option<u8> {
        match (self.phase, told.method.as_str()) {
            (_, "exit") => return Some(self.exit_code()),
            (Phase::Running, "initialized") => {
                let registrations = self.client.registrations();
                if !registrations.is_empty() {
                    self.out.ask("client/registerCapability", json!({"registrations": registrations}));
                }
                self.ask_for_settings();
            }
            (Phase::Running, _) => self.take(told),
            // Before the beginning and after the end nothing is meant.
            _ => {}
        }
        None
    }

    /// Has everything checked once nothing changed for a moment.
    fn check_soon(&mut self) {
        self.check_in(self.options.delay);
    }

    fn check_in(&mut self, delay: Duration) {
        let now = Instant::now();
        let since = self.due.map_or(now, |due| due.since);
        self.due = Some(CheckDeadline { since, at: (now + delay).min(since + LONGEST_DELAY.max(delay)) });
    }

    fn folders_changed(&mut self, added: &[String], removed: &[String]) {
        let removed: Vec<PathBuf> = removed.iter().filter_map(|uri| folder_at(uri)).collect();
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(added.iter().filter_map(|uri| folder_at(uri)));
    }

    /// Starts the check that is due. While one runs, the next waits for its end.
    pub fn wake(&mut self) {
        if self.is_checking {
            return;
        }
        if self.policies.have_changed() {
            self.disk_changed = true;
            self.check_soon();
        }
        let is_due = self.due.is_some_and(|due| due.at <= Instant::now());
        if !is_due {
            return;
        }
        self.due = None;
        let job = Job {
            documents: self.documents.clone(),
            folders: self.folders.clone(),
            encoding: self.client.encoding,
            disk_changed: std::mem::take(&mut self.disk_changed),
            options: Arc::clone(&self.options),
            with_hints: self.waiting.wants_hints(),
        };
        self.waiting.forget_hints();
        self.show_reading();
        self.is_checking = self.jobs.send(job).is_ok();
    }

    /// Tells the editor what a check came to, as far as it is still about the texts that are open.
    fn publish(&mut self, checked: Checked) {
        self.is_checking = false;
        self.show_read();
        if self.phase == Phase::ShutDown {
            return;
        }
        for (uri, said) in &checked.said {
            let is_current = said.version.is_none_or(|version| self.documents.version(uri) == Some(version));
            if is_current {
                self.show(uri, said.clone());
            }
        }
        let wrong = checked.troubles.iter().filter_map(|trouble| trouble.file.clone());
        self.policies.now_are(checked.policy_files.iter().cloned().chain(wrong).collect());
        let settled: Vec<String> = self.shown.keys().filter(|uri| !checked.knows(uri)).cloned().collect();
        settled.iter().for_each(|uri| self.forget(uri));
        self.tell_of_troubles(checked.troubles);
        if checked.failed {
            self.failed(None);
        }
        self.checked_for(checked.hints);
    }

    /// Says that a project is being read, the first time.
    fn show_reading(&mut self) {
        if self.reading == FirstRead::Expected && self.client.shows_progress {
            self.reading = FirstRead::Shown;
            self.out.ask("window/workDoneProgress/create", json!({"token": READING}));
            let begin = json!({"kind": "begin", "title": "gpulint: reading the project"});
            self.out.tell("$/progress", json!({"token": READING, "value": begin}));
        }
    }

    fn show_read(&mut self) {
        if std::mem::replace(&mut self.reading, FirstRead::Done) == FirstRead::Shown {
            self.out.tell("$/progress", json!({"token": READING, "value": {"kind": "end"}}));
        }
    }

    /// Notes a fault of gpulint itself. People are told once; standard error says each time where.
    pub fn failed(&mut self, asked: Option<RequestId>) {
        if let Some(id) = asked {
            self.out.refuse(id, ErrorCode::InternalError, "a fault in gpulint");
        }
        if !std::mem::replace(&mut self.has_told_of_fault, true) {
            let message = "gpulint met a fault of its own and shows what it found before; its log says where. \
                           Please report it with the file that was being edited.";
            self.out.show(MessageType::Error, message);
        }
    }

    fn show(&mut self, uri: &str, said: CheckAnswer) {
        let shown = self.shown.get(uri);
        let is_news = match shown {
            Some(shown) => shown.version != said.version || shown.notes != said.notes,
            None => true,
        };
        if is_news && self.is_pulled(uri) {
            self.waiting.has_news(uri);
        } else if is_news {
            let diagnostics = said.notes.iter().map(|note| note.diagnostic.clone()).collect();
            let params = PublishDiagnosticsParams { uri: uri.into(), version: said.version, diagnostics };
            self.out.tell("textDocument/publishDiagnostics", params);
        }
        self.shown.insert(uri.to_owned(), said);
    }

    /// Takes back what was said about a document.
    fn forget(&mut self, uri: &str) {
        let Some(said) = self.shown.remove(uri) else { return };
        if self.is_pulled(uri) {
            self.waiting.has_news(uri);
        } else if !said.notes.is_empty() {
            let params = PublishDiagnosticsParams { uri: uri.into(), version: None, diagnostics: Vec::new() };
            self.out.tell("textDocument/publishDiagnostics", params);
        }
    }

    /// Whether the editor asks for what is to be said about a document. It does not about those that are not open.
    fn is_pulled(&self, uri: &str) -> bool {
        self.client.pulls && self.documents.get(uri).is_some()
    }

    /// Each is told once, and again when it was gone in between.
    fn tell_of_troubles(&mut self, troubles: BTreeSet<Trouble>) {
        for trouble in troubles.difference(&self.troubles) {
            let file = trouble.file.as_deref().map(|file| file.display().to_string());
            let line = trouble.line.map(|line| format!(":{line}")).unwrap_or_default();
            let place = file.map(|file| format!("{file}{line}: ")).unwrap_or_default();
            self.out.show(MessageType::Error, &format!("gpulint: {place}{}", trouble.message));
        }
        self.troubles = troubles;
    }

    /// What was said about a document as it is now; `None` while the last check is about an older text.
    fn current(&self, uri: &str) -> Option<&CheckAnswer> {
        self.shown.get(uri).filter(|said| said.version == self.documents.version(uri))
    }

    fn current_notes(&self, uri: &str) -> &[Note] {
        self.current(uri).map_or(&[], |said| &said.notes)
    }
}

impl Checked {
    fn knows(&self, uri: &str) -> bool {
        self.said.contains_key(uri) || self.kept.contains(uri)
    }
}
