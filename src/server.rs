//! `gpulint server`: what `gpulint check` finds, shown by an editor while somebody writes.
//!
//! ```text
//! standard input ─ transport ─▶ session ─ jobs ─▶ checks      (a thread each; they talk through channels)
//!                                  ▲                 │
//!                                  └───── results ───┘
//! ```
//!
//! The session knows what is open and answers at once; a check takes what is open at one moment through the whole
//! pipeline and says what is to be shown. What came of a text that has changed since is dropped.

mod actions;
mod checks;
mod client;
mod diagnostics;
mod documents;
mod encoding;
mod hints;
mod hover;
mod known;
mod outgoing;
mod parent;
mod projects;
mod remedies;
mod session;
mod transport;
mod uri;
mod wishes;

use crate::findings::Severity;
use crate::settings::Request;
use checks::{Checked, Checks};
use lsp_server::Message;
use outgoing::Outgoing;
use session::Session;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};
pub use wishes::ShownHints;

/// What the command line says.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the settings of a project are found; its paths are not looked at.
    pub request: Request,
    /// Findings below are not shown.
    pub min_severity: Severity,
    /// A check starts when nothing was changed for so long.
    pub delay: Duration,
    pub shown: ShownHints,
}

/// What the session hears of.
enum Event {
    Message(Message),
    /// Something came that is no message; the id is that of a request, if it has one.
    Unreadable {
        what: String,
        id: Option<serde_json::Value>,
    },
    Checked(Checked),
    /// Standard input has ended.
    Closed,
    ParentEnded,
}

/// Runs work where it, and everything that it does in parallel, has room to recurse.
type OnLargeStacks = fn(&mut (dyn FnMut() + Send));

/// Serves the editor on standard input and output until it ends the conversation; returns the exit code.
pub fn run(options: Options, on_large_stacks: OnLargeStacks) -> u8 {
    let (events, inbox) = mpsc::channel();
    let (jobs, mut queue) = mpsc::channel();
    let heard = events.clone();
    thread::spawn(move || transport::listen(io::stdin().lock(), &heard));
    let results = events.clone();
    let options = Arc::new(options);
    let mut checks = Checks::new(Arc::clone(&options));
    thread::spawn(move || on_large_stacks(&mut || checks.work(&mut queue, &results)));
    let mut session = Session::new(Outgoing::to(io::stdout()), options, events, jobs);
    loop {
        match next(&inbox, session.wakes_at()) {
            Some(event) => {
                if let Some(code) = survived(&mut session, event) {
                    return code;
                }
            }
            None => session.wake(),
        }
    }
}

/// What an editor says, heard without checking anything: for the fuzz targets. A line that begins no header is a message.
pub fn hear(bytes: &[u8]) {
    let (events, inbox) = mpsc::channel();
    let mut stream = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"{") {
            stream.extend(format!("Content-Length: {}\r\n\r\n", line.len()).bytes());
        }
        stream.extend(line);
    }
    transport::listen(&stream[..], &events);
    let (jobs, _unread) = mpsc::channel();
    let options = Options {
        request: Request::default(),
        min_severity: Severity::Note,
        delay: Duration::ZERO,
        shown: ShownHints::default(),
    };
    let mut session = Session::new(Outgoing::to(io::sink()), Arc::new(options), events, jobs);
    for mut event in inbox.try_iter() {
        // A process that is named is watched by a thread until it ends.
        if let Event::Message(Message::Request(request)) = &mut event
            && let Some(parameters) = request.params.as_object_mut()
        {
            parameters.remove("processId");
        }
        if session.handle(event).is_some() {
            return;
        }
        session.wake();
    }
}

/// Hands the event to the session. A fault of gpulint itself costs the answer, and not the conversation.
fn survived(session: &mut Session, event: Event) -> Option<u8> {
    let asked = match &event {
        Event::Message(Message::Request(request)) => Some(request.id.clone()),
        _ => None,
    };
    panic::catch_unwind(AssertUnwindSafe(|| session.handle(event))).unwrap_or_else(|_| {
        session.failed(asked);
        None
    })
}

/// The next event, or nothing when the time has come.
fn next(inbox: &Receiver<Event>, wakes_at: Option<Instant>) -> Option<Event> {
    let Some(at) = wakes_at else {
        // The session itself holds a sender.
        return inbox.recv().ok();
    };
    inbox.recv_timeout(at.saturating_duration_since(Instant::now())).ok()
}
