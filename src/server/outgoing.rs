//! What is sent to the editor.

use super::transport;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::MessageType;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The way to the editor. Once it is closed, what is sent is lost, which the other way will show too.
pub struct Outgoing {
    stream: Box<dyn Write + Send>,
    next_request: i32,
}

impl Outgoing {
    pub fn to(stream: impl Write + Send + 'static) -> Self {
        Outgoing { stream: Box::new(stream), next_request: 0 }
    }

    pub fn answer(&mut self, id: RequestId, result: impl Serialize) {
        self.send(Response::new_ok(id, result).into());
    }

    pub fn refuse(&mut self, id: RequestId, code: ErrorCode, why: &str) {
        self.send(Response::new_err(id, code as i32, why.to_owned()).into());
    }

    /// Answers what could not be understood as a message.
    pub fn not_understood(&mut self, id: Option<Value>, why: &str) {
        let code = if id.is_some() { ErrorCode::InvalidRequest } else { ErrorCode::ParseError };
        self.note_failure(|stream| transport::refuse(stream, id, code as i32, why));
    }

    pub fn tell(&mut self, method: &str, params: impl Serialize) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    /// Asks for something; returns the number of the question. Of most what the answer says does not matter.
    pub fn ask(&mut self, method: &str, params: impl Serialize) -> i32 {
        self.next_request += 1;
        self.send(Request::new(self.next_request.into(), method.to_owned(), params).into());
        self.next_request
    }

    /// Shows people a message.
    pub fn show(&mut self, kind: MessageType, message: &str) {
        self.tell("window/showMessage", json!({"type": kind, "message": message}));
    }

    /// For the log of the editor.
    pub fn log(&mut self, message: &str) {
        self.tell("window/logMessage", json!({"type": MessageType::Warning, "message": message}));
    }

    fn send(&mut self, message: Message) {
        self.note_failure(|stream| transport::send(stream, &message));
    }

    fn note_failure(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if write(&mut self.stream).is_err() {
            self.stream = Box::new(io::sink());
        }
    }
}
