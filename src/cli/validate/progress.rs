//! What is said while a validation runs: bars on a terminal, and elsewhere, as in CI, a line for each thing that happens.

use crate::cli::say;
use crate::report::printable;
use crate::runtime::validation::document::{Check, State, Validation};
use crate::runtime::validation::schedule::Message;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rustc_hash::FxHashMap;
use std::io::{self, IsTerminal};
use std::time::Duration;

/// Between two pictures of what turns to show that nothing hangs.
const TICK: Duration = Duration::from_millis(120);

pub struct Lines {
    /// `None` where nobody sees them.
    bars: Option<MultiProgress>,
    of_checks: FxHashMap<String, ProgressBar>,
    width: usize,
}

impl Lines {
    pub fn new(document: &Validation) -> Lines {
        let seen = io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let width = document.checks.iter().map(|check| check.name.chars().count()).max().unwrap_or_default();
        Lines { bars: seen.then(MultiProgress::new), of_checks: FxHashMap::default(), width }
    }

    pub fn tell(&mut self, message: &Message<'_>) {
        match message {
            Message::Started(check) => self.started(check),
            Message::Waiting(check, line) => self.show(check, line),
            Message::Progress(check, progress) => {
                if let Some(bar) = self.of_checks.get(&check.name) {
                    let of = progress.of.map(|of| format!(" of {of}")).unwrap_or_default();
                    bar.set_message(format!("{}{of} {}", progress.done, progress.unit));
                }
            }
            Message::Ended(check) => self.ended(check),
            Message::Fallback(why) => self.line(&format!("note: {why}")),
        }
    }

    /// Nothing moves any more.
    pub fn end(&mut self) {
        self.of_checks.clear();
    }

    fn started(&mut self, check: &Check) {
        let Some(bars) = &self.bars else { return self.line(&format!("{}: started", check.name)) };
        let bar = bars.add(ProgressBar::no_length());
        // The template is ours, so it is right.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}  {elapsed:>4}  {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(format!("{:width$}", printable(&check.name), width = self.width));
        bar.enable_steady_tick(TICK);
        self.of_checks.insert(check.name.clone(), bar);
    }

    fn show(&self, check: &Check, text: &str) {
        match self.of_checks.get(&check.name) {
            Some(bar) => bar.set_message(printable(text).into_owned()),
            None => self.line(&format!("{}: {text}", check.name)),
        }
    }

    fn ended(&mut self, check: &Check) {
        if let Some(bar) = self.of_checks.remove(&check.name) {
            bar.finish_and_clear();
        }
        let seconds = check.wall_seconds.map(|seconds| format!(" after {seconds:.1} s")).unwrap_or_default();
        let state = match check.state {
            State::Waiting | State::Running => "not ended",
            State::Holds => "holds",
            State::HoldsWithCorrections => "holds, with corrections",
            State::Fails => "fails",
            State::NotRun => "could not be run",
        };
        let why = check.reasons.first().map(|reason| format!(": {}", reason.message)).unwrap_or_default();
        self.line(&format!("{}: {state}{seconds}{why}", check.name));
    }

    /// Above the bars.
    fn line(&self, text: &str) {
        match &self.bars {
            Some(bars) => bars.suspend(|| say(text)),
            None => say(text),
        }
    }
}
