//! A check while it runs, and what becomes of it when it has. The command of a project is run several times in a row, and what
//! stays in use after each time is judged as the iterations of the profile `leak` are.

use super::document::{Check, Kind, LeakEvidence, LeakPoint, Reason, Validation, Weight};
use super::judgement::{self, Attempt, Gates};
use super::plan::{Planned, Work};
use super::schedule::{Message, Request};
use super::tail::Tail;
use super::workers::{Files, NOTE, WAITING};
use super::{lint, speeds};
use crate::runtime::growth::{self, BLOCK};
use crate::runtime::management::CardState;
use crate::runtime::native::lines::Line;
use crate::runtime::process::Worker;
use crate::runtime::record::Record;
use std::io;
use std::time::Instant;

/// A check that runs.
pub struct RunningCheck {
    number: usize,
    worker: Worker,
    files: Files,
    began: Instant,
    progress: Option<Progress>,
    /// What it says while it waits for the card; `None` when that is over, and its command speaks.
    wait: Option<Tail>,
    /// What it measures.
    lines: Tail,
    done: u64,
    earlier: EarlierTurns,
}

/// What earlier turns of a target left.
#[derive(Default)]
struct EarlierTurns {
    /// In use on the card.
    points: Vec<LeakPoint>,
    /// To be said, each kind once.
    reasons: Vec<Reason>,
}

/// How far a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    /// At least; a check may find that it needs more. `None` for one that ends by the clock.
    pub of: Option<u64>,
    pub unit: &'static str,
}

impl RunningCheck {
    /// `None` when it cannot be started, which its check says then.
    pub fn start(request: &Request<'_>, document: &mut Validation, number: usize) -> Option<RunningCheck> {
        let check = document.checks.get_mut(number)?;
        check.begin();
        match RunningCheck::next(request, number, EarlierTurns::default(), Instant::now()) {
            Ok(turn) => Some(turn),
            Err(error) => {
                check.settle(vec![not_started(&error)]);
                None
            }
        }
    }

    pub fn number(&self) -> usize {
        self.number
    }

    /// Also when the system does not tell: what it left says more.
    pub fn has_ended(&mut self) -> bool {
        self.worker.ended().map_or(true, |ended| ended.is_some())
    }

    pub fn ask_to_end(&mut self) {
        self.worker.ask_to_end();
    }

    /// Tells what is new.
    pub fn report(
        &mut self,
        request: &Request<'_>,
        document: &Validation,
        tell: &mut dyn FnMut(Message<'_>),
    ) {
        // One that cannot be bounded is only longer.
        let _ = self.files.bound_log();
        let both = document.checks.get(self.number).zip(request.plan.checks.get(self.number));
        let Some((check, planned)) = both else { return };
        for line in self.wait.as_mut().map(Tail::lines).unwrap_or_default() {
            if line.starts_with(WAITING) {
                tell(Message::Waiting(check, &line));
            } else if !line.starts_with(NOTE) {
                self.wait = None;
                break;
            }
        }
        let progress = self.progress_of(&planned.work);
        if let Some(now) = progress.filter(|_| progress != self.progress) {
            tell(Message::Progress(check, now));
            self.progress = progress;
        }
    }

    /// Writes what it proves into the document, or goes on with the next turn.
    pub fn settle(mut self, request: &Request<'_>, document: &mut Validation) -> Option<RunningCheck> {
        let (planned, check) =
            request.plan.checks.get(self.number).zip(document.checks.get_mut(self.number))?;
        check.wall_seconds = Some(self.began.elapsed().as_secs_f64());
        // One that cannot be cut is only longer.
        let _ = self.files.cut_log();
        if planned.work == Work::Lint {
            check.settle(lint::reasons(&self.files));
            return None;
        }
        if check.kind == Kind::CpuTarget {
            let reasons = self.proven(check);
            check.settle(reasons);
            return None;
        }
        let record = self.files.record();
        let mut reasons = self.judged(request, &planned.work, check, record.as_ref());
        let fails = reasons.iter().any(|reason| reason.weight <= Weight::Infrastructure);
        let point = record.as_ref().and_then(turn_of);
        check.record = record;
        if let Work::Command { turns, .. } = &planned.work {
            self.earlier.points.extend(point);
            if !fails && point.is_some() && self.earlier.points.len() < *turns as usize {
                self.earlier.keep(reasons);
                match RunningCheck::next(request, self.number, self.earlier, self.began) {
                    Ok(turn) => return Some(turn),
                    Err(error) => check.settle(vec![not_started(&error)]),
                }
                return None;
            }
            self.earlier.add_to(&mut reasons);
        }
        check.settle(reasons);
        None
    }

    /// What `prove` found; its own verdict is not asked.
    fn proven(&self, check: &mut Check) -> Vec<Reason> {
        let Some(proof) = self.files.proof() else {
            let said = self.files.said();
            let message = format!("its worker ended without a document; it said: {}", said.trim());
            return vec![Reason::of(Weight::Infrastructure, "infrastructure", message)];
        };
        check.record = Some(proof.record.clone());
        let mut reasons = proof.reasons.clone();
        let of_end =
            |reason: &&mut Reason| ["command-failed", "crashed", "time-limit"].contains(&&*reason.code);
        if let Some(reason) = reasons.iter_mut().find(of_end) {
            reason.message.push_str(&judgement::tail(&self.files.said()));
        }
        check.proof = Some(proof);
        reasons
    }

    fn next(
        request: &Request<'_>,
        number: usize,
        earlier: EarlierTurns,
        began: Instant,
    ) -> io::Result<RunningCheck> {
        let files = request.workers.files(number);
        let planned: &Planned =
            request.plan.checks.get(number).ok_or_else(|| io::Error::other("the plan has no such check"))?;
        let card = board_of(request).map(|board| &board.card);
        let worker = request.workers.start(planned, card, &files)?;
        let (wait, lines) = (Some(Tail::of(files.log.clone())), Tail::of(files.lines.clone()));
        Ok(RunningCheck { number, worker, files, began, progress: None, wait, lines, done: 0, earlier })
    }

    fn judged(
        &self,
        request: &Request<'_>,
        work: &Work,
        check: &mut Check,
        record: Option<&Record>,
    ) -> Vec<Reason> {
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
                let points = self.earlier.points.iter().copied().chain(record.and_then(turn_of));
                check.leak = evidence_of(points.collect());
                check.repeated = self.files.repeated();
            }
            _ => {}
        }
        let said = self.files.said();
        let runtime = &request.policy.runtime;
        let iterations = match work {
            Work::Leak { iterations, .. } => *iterations,
            _ => runtime.iterations.get(),
        };
        let attempt = Attempt {
            kind: check.kind,
            repeated: check.repeated.as_ref(),
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

    fn progress_of(&mut self, work: &Work) -> Option<Progress> {
        let (of, unit) = match work {
            Work::Lint => return None,
            Work::Command { turns, .. } => {
                let done = self.earlier.points.len() as u64;
                return Some(Progress { done, of: Some(u64::from(*turns)), unit: "turns" });
            }
            Work::Leak { iterations, .. } => (Some(u64::from(*iterations)), "iterations"),
            Work::Burn(_) => (None, "rounds"),
        };
        let is_one = |line: &String| match serde_json::from_str(line) {
            Ok(Line::Iteration(iteration)) => !iteration.warm_up,
            Ok(Line::Round(_)) => true,
            _ => false,
        };
        self.done += self.lines.lines().iter().filter(|line| is_one(line)).count() as u64;
        // More than were asked for: the leak test goes on, and nobody knows how long.
        let of = of.filter(|of| self.done <= *of);
        (self.done > 0).then_some(Progress { done: self.done, of, unit })
    }
}

impl EarlierTurns {
    /// Of a turn that holds. What is of all turns is judged anew with the next.
    fn keep(&mut self, reasons: Vec<Reason>) {
        let turn = self.points.len();
        for reason in reasons.into_iter().filter(|reason| !judgement::is_of_growth(&reason.code)) {
            if !is_among(&reason, &self.reasons) {
                let message = format!("in turn {turn}: {}", reason.message);
                self.reasons.push(Reason { message, ..reason });
            }
        }
    }

    fn add_to(self, reasons: &mut Vec<Reason>) {
        let earlier: Vec<Reason> =
            self.reasons.into_iter().filter(|reason| !is_among(reason, reasons)).collect();
        reasons.extend(earlier);
        reasons.sort_by_key(|reason| reason.weight);
    }
}

fn is_among(reason: &Reason, others: &[Reason]) -> bool {
    others.iter().any(|other| (&other.code, other.weight) == (&reason.code, reason.weight))
}

fn not_started(error: &io::Error) -> Reason {
    let message = format!("its worker could not be started: {error}");
    Reason::of(Weight::Infrastructure, "infrastructure", message)
}

fn board_of<'a>(request: &'a Request<'_>) -> Option<&'a CardState> {
    request.board.as_ref()?.as_ref().ok()
}

/// What one turn of a target left.
fn turn_of(record: &Record) -> Option<LeakPoint> {
    let used = record.returned.as_ref()?.after()?;
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
