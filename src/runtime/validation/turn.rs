//! A check while it runs, and what becomes of it when it has. The command of a project is run several times in a row, and what
//! stays in use after each time is judged as the iterations of the profile `leak` are.

use super::document::{Check, Kind, LeakEvidence, LeakPoint, Reason, Validation, Weight};
use super::judgement::{self, Attempt, Gates};
use super::plan::{Planned, Work};
use super::schedule::{Message, Request};
use super::workers::{Files, WAITING};
use super::{lint, speeds};
use crate::runtime::growth::{self, BLOCK};
use crate::runtime::management::Board;
use crate::runtime::native::lines::Line;
use crate::runtime::process::Worker;
use crate::runtime::record::Record;
use crate::runtime::watch::Returned;
use std::io;
use std::time::Instant;

/// A check that runs.
pub struct Turn {
    number: usize,
    worker: Worker,
    files: Files,
    began: Instant,
    progress: Option<Progress>,
    /// How much of what it says was told.
    told: usize,
    /// What earlier turns of a target left in use.
    earlier: Vec<LeakPoint>,
}

/// How far a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    /// At least; a check may find that it needs more.
    pub of: u64,
    pub unit: &'static str,
}

impl Turn {
    /// # Errors
    /// When it cannot be started.
    pub fn start(request: &Request<'_>, document: &mut Validation, number: usize) -> io::Result<Turn> {
        if let Some(check) = document.checks.get_mut(number) {
            check.begin();
        }
        Turn::next(request, number, Vec::new(), Instant::now())
    }

    pub fn number(&self) -> usize {
        self.number
    }

    /// # Errors
    /// When the system does not tell.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        self.worker.ended().map(|ended| ended.is_some())
    }

    pub fn ask_to_end(&mut self) {
        self.worker.ask_to_end();
    }

    /// Tells what is new.
    pub fn report(&mut self, document: &Validation, tell: &mut dyn FnMut(Message<'_>)) {
        let Some(check) = document.checks.get(self.number) else { return };
        let said = std::fs::read_to_string(&self.files.log).unwrap_or_default();
        let fresh = said.get(self.told..).unwrap_or_default();
        // The last line may not be complete.
        let complete = fresh.rfind('\n').map_or("", |end| &fresh[..=end]);
        for line in complete.lines().filter(|line| line.starts_with(WAITING)) {
            tell(Message::Waiting(check, line));
        }
        self.told += complete.len();
        let progress = self.progress_of(check);
        if let Some(now) = progress.filter(|_| progress != self.progress) {
            tell(Message::Progress(check, now));
            self.progress = progress;
        }
    }

    /// Writes what it proves into the document, or goes on with the next turn.
    ///
    /// # Errors
    /// When the next turn cannot be started.
    pub fn settle(mut self, request: &Request<'_>, document: &mut Validation) -> io::Result<Option<Turn>> {
        let Some((planned, check)) =
            request.plan.checks.get(self.number).zip(document.checks.get_mut(self.number))
        else {
            return Ok(None);
        };
        check.wall_seconds = Some(self.began.elapsed().as_secs_f64());
        if planned.work == Work::Lint {
            check.settle(lint::reasons(&self.files));
            return Ok(None);
        }
        let record = self.files.record();
        let mut reasons = self.judged(request, check, record.as_ref());
        // What was said of earlier turns holds, too.
        for earlier in std::mem::take(&mut check.reasons) {
            if !reasons.iter().any(|reason| (reason.weight, &reason.code) == (earlier.weight, &earlier.code))
            {
                reasons.push(earlier);
            }
        }
        reasons.sort_by_key(|reason| reason.weight);
        let fails = reasons.iter().any(|reason| reason.weight <= Weight::Infrastructure);
        let point = record.as_ref().and_then(turn_of);
        check.record = record;
        if check.kind == Kind::GpuTarget {
            self.earlier.extend(point);
            let wanted = match &planned.work {
                Work::Command { turns, .. } => *turns as usize,
                _ => 1,
            };
            if !fails && point.is_some() && self.earlier.len() < wanted {
                check.reasons = reasons;
                return Turn::next(request, self.number, self.earlier, self.began).map(Some);
            }
        }
        check.settle(reasons);
        Ok(None)
    }

    fn next(
        request: &Request<'_>,
        number: usize,
        earlier: Vec<LeakPoint>,
        began: Instant,
    ) -> io::Result<Turn> {
        let files = request.workers.files(number);
        let planned: &Planned =
            request.plan.checks.get(number).ok_or_else(|| io::Error::other("the plan has no such check"))?;
        let card = board_of(request).map(|board| &board.card);
        let worker = request.workers.start(planned, card, &files)?;
        Ok(Turn { number, worker, files, began, progress: None, told: 0, earlier })
    }

    fn judged(&self, request: &Request<'_>, check: &mut Check, record: Option<&Record>) -> Vec<Reason> {
        let lines = self.files.lines(check.kind);
        let mut beside = None;
        match check.kind {
            Kind::Leak => check.leak = lines.leak(),
            Kind::Burn => {
                check.burn = lines.burn();
                if let Some((burn, board)) = check.burn.as_mut().zip(board_of(request)) {
                    speeds::add_peak(burn, &board.limits);
                }
                let known = check.burn.as_mut().zip(record).zip(request.history.as_ref());
                beside = known.and_then(|((burn, record), folder)| speeds::compare(burn, record, folder));
            }
            Kind::GpuTarget => {
                let points = self.earlier.iter().copied().chain(record.and_then(turn_of));
                check.leak = evidence_of(points.collect());
            }
            _ => {}
        }
        let said = self.files.said();
        let runtime = &request.policy.runtime;
        let iterations = request.plan.checks.get(self.number).map(|planned| &planned.work);
        let iterations = match iterations {
            Some(Work::Leak { iterations, .. }) => *iterations,
            _ => runtime.iterations.get(),
        };
        let attempt = Attempt {
            kind: check.kind,
            record,
            lines: &lines,
            leak: check.leak.as_ref(),
            burn: check.burn.as_ref(),
            said: &said,
        };
        let mut reasons = judgement::reasons(&attempt, Gates { leak: &runtime.leak, iterations });
        reasons.extend(beside);
        reasons
    }

    fn progress_of(&self, check: &Check) -> Option<Progress> {
        if check.kind == Kind::GpuTarget {
            return Some(Progress { done: self.earlier.len() as u64, of: 0, unit: "turns" });
        }
        let lines = self.files.lines(check.kind);
        let done =
            lines.lines.iter().filter(|line| matches!(line, Line::Iteration(_) | Line::Round(_))).count();
        let unit = if check.kind == Kind::Leak { "iterations" } else { "rounds" };
        (done > 0).then_some(Progress { done: done as u64, of: 0, unit })
    }
}

fn board_of<'a>(request: &'a Request<'_>) -> Option<&'a Board> {
    request.board.as_ref()?.as_ref().ok()
}

/// What one turn of a target left.
fn turn_of(record: &Record) -> Option<LeakPoint> {
    let used = match record.returned.as_ref()? {
        Returned::Back { after, .. } | Returned::NotBack { after, .. } => *after,
        Returned::Disturbed { .. } | Returned::NotKnown { .. } => return None,
    };
    let held = record.peak_memory.unwrap_or(used);
    Some(LeakPoint { held, used, pool_used: None, seconds: record.wall_seconds.unwrap_or_default() })
}

fn evidence_of(measured: Vec<LeakPoint>) -> Option<LeakEvidence> {
    let used: Vec<u64> = measured.iter().map(|point| point.used).collect();
    // Each turn has given back what it took, or was rejected for it; so few say no more.
    let growth = (used.len() >= growth::FEWEST).then(|| growth::judged(&used, BLOCK));
    let is_any = !measured.is_empty();
    let evidence =
        LeakEvidence { context: 0, warm_up: Vec::new(), measured, growth, pool_growth: None, wrong: 0 };
    is_any.then_some(evidence)
}
