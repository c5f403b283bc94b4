//! What is said while a validation runs.

use crate::cli::say;
use crate::runtime::validation::document::{Check, State, Validation};
use crate::runtime::validation::schedule::Message;

pub struct Lines {}

impl Lines {
    pub fn new(_document: &Validation) -> Lines {
        Lines {}
    }

    pub fn tell(&mut self, message: &Message<'_>) {
        match message {
            Message::Started(check) => say(format_args!("{}: started", check.name)),
            Message::Waiting(check, line) => say(format_args!("{}: {line}", check.name)),
            Message::Progress(..) => {}
            Message::Ended(check) => say(format_args!("{}: {}", check.name, ended(check))),
            Message::Fallback(why) => say(format_args!("note: {why}")),
        }
    }

    pub fn end(&mut self) {}
}

fn ended(check: &Check) -> String {
    let state = match check.state {
        State::Waiting | State::Running => "not ended",
        State::Holds => "holds",
        State::HoldsWithCorrections => "holds, with corrections",
        State::Fails => "fails",
        State::NotRun => "could not be run",
    };
    match check.reasons.first() {
        Some(reason) => format!("{state}: {}", reason.message),
        None => state.to_owned(),
    }
}
