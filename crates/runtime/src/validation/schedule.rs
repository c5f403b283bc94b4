//! Runs a plan: so many workers at once, and where they get into each other's way, the checks concerned again, one after the
//! other. The document is written after each step, so that a validation that is killed leaves what it knows.

use super::document::{Check, Reason, State, Validation, Weight};
use super::judgement::DISTURBED;
use super::memory;
use super::plan::Plan;
use super::turn::{Progress, RunningCheck};
use super::workers::Workers;
use crate::policy::Policy;
use crate::runtime::exec::Refusal;
use crate::runtime::management::CardState;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two looks at the workers.
const PAUSE: Duration = Duration::from_millis(20);

/// What is to be done, and how.
pub struct Request<'a> {
    pub plan: &'a Plan,
    pub policy: &'a Policy,
    pub workers: Workers,
    /// How many workers there are at once; at least one.
    pub jobs: usize,
    /// The card for the checks that need one; `None` when none does.
    pub board: Option<Result<CardState, Refusal>>,
    /// Where the earlier speeds of the cards are; `None` without such a folder.
    pub history: Option<PathBuf>,
    /// When it must have come to its end.
    pub until: Option<Instant>,
    /// Set when somebody wants the end of it.
    pub interrupted: &'a AtomicBool,
    /// Set when somebody does not want to wait for that end.
    pub impatient: &'a AtomicBool,
}

/// What is said while it runs.
pub enum Message<'a> {
    Started(&'a Check),
    /// A worker waits for the card, in its words.
    Waiting(&'a Check, &'a str),
    Progress(&'a Check, Progress),
    Ended(&'a Check),
    Fallback(&'a str),
}

/// Where it is written down, and who is told.
pub struct Outside<'a> {
    pub write: &'a mut dyn FnMut(&Validation) -> io::Result<()>,
    pub tell: &'a mut dyn FnMut(Message<'_>),
}

/// Runs all checks of the document that have not run. Answers whether it came to its end, and was not interrupted.
///
/// # Errors
/// When the document cannot be written.
pub fn run(request: &Request<'_>, document: &mut Validation, outside: &mut Outside<'_>) -> io::Result<bool> {
    if let Some(Err(refusal)) = &request.board {
        refuse(document, refusal);
    }
    let waiting = numbers(document, |check| check.state == State::Waiting);
    if !go(request, document, waiting, request.jobs, outside)? {
        return Ok(false);
    }
    if request.jobs < 2 {
        return Ok(true);
    }
    let Some((unstable, why)) = unstable(document) else { return Ok(true) };
    (outside.tell)(Message::Fallback(&why));
    document.fallback = Some(why);
    for &number in &unstable {
        if let Some(check) = document.checks.get_mut(number) {
            let half_of = check.half_of.take();
            *check = Check { attempts: check.attempts, half_of, ..Check::waiting(&check.name, check.kind) };
        }
    }
    go(request, document, unstable, 1, outside)
}

/// Which checks are to be run again one after the other, and why.
fn unstable(document: &Validation) -> Option<(Vec<usize>, String)> {
    let is_one_of_several = document.checks.iter().filter(|check| check.kind.uses_card()).count() > 1;
    // What was refused before there was a worker had nobody in its way, nor had who was alone in the queue for the card.
    let is_shaky =
        |reason: &&Reason| is_shaky(reason) && (is_one_of_several || reason.code != "infrastructure");
    let shaky = |check: &Check| check.reasons.iter().find(is_shaky).filter(|_| check.attempts > 0).cloned();
    let first = document.checks.iter().find_map(|check| Some((&check.name, shaky(check)?)));
    let (numbers, why) = match (memory::grown(document), first) {
        (Some(grown), _) => (numbers(document, |check| check.kind.uses_card()), grown),
        (None, Some((name, reason))) => {
            (numbers(document, |check| shaky(check).is_some()), format!("{name}: {}", reason.message))
        }
        (None, None) => return None,
    };
    Some((numbers, format!("checks ran again one after the other, because with several at once {why}")))
}

/// What several workers at once may have done to each other.
fn is_shaky(reason: &Reason) -> bool {
    let codes = ["crashed", "interrupted", "infrastructure", "not-measured", DISTURBED];
    reason.weight == Weight::Infrastructure && codes.contains(&reason.code.as_str())
}

fn numbers(document: &Validation, meant: impl Fn(&Check) -> bool) -> Vec<usize> {
    let checks = document.checks.iter().enumerate();
    checks.filter(|(_, check)| meant(check)).map(|(number, _)| number).collect()
}

/// Without a card nothing that needs one is run.
fn refuse(document: &mut Validation, refusal: &Refusal) {
    document.simulated |= matches!(refusal, Refusal::Simulated);
    for check in &mut document.checks {
        if check.state == State::Waiting && check.kind.uses_card() {
            check.settle(vec![Reason::of_refusal(Some(refusal.exit_code()), refusal.to_string())]);
        }
    }
}

/// Runs the checks of these numbers. `false`: interrupted.
fn go(
    request: &Request<'_>,
    document: &mut Validation,
    numbers: Vec<usize>,
    jobs: usize,
    outside: &mut Outside<'_>,
) -> io::Result<bool> {
    let mut waiting: VecDeque<usize> = numbers.into();
    let mut running: Vec<RunningCheck> = Vec::new();
    loop {
        if request.interrupted.load(Ordering::Relaxed) {
            running.iter_mut().for_each(RunningCheck::ask_to_end);
            document.interrupt();
            // Before the workers are waited for: nobody knows how long this process has.
            (outside.write)(document)?;
            wait_for(running, request.impatient);
            return Ok(false);
        }
        if request.until.is_some_and(|until| Instant::now() >= until) {
            running.iter_mut().for_each(RunningCheck::ask_to_end);
            document.run_out_of_time();
            wait_for(running, request.impatient);
            return Ok(true);
        }
        while running.len() < jobs.max(1)
            && let Some(number) = waiting.pop_front()
        {
            let started = RunningCheck::start(request, document, number);
            (outside.write)(document)?;
            if let (Some(turn), Some(check)) = (started, document.checks.get(number)) {
                (outside.tell)(Message::Started(check));
                running.push(turn);
            } else if let Some(check) = document.checks.get(number) {
                (outside.tell)(Message::Ended(check));
            }
        }
        if running.is_empty() {
            return Ok(true);
        }
        std::thread::sleep(PAUSE);
        for mut turn in std::mem::take(&mut running) {
            let number = turn.number();
            // Before the last look, so that what it wrote at its end is told.
            let has_ended = turn.has_ended();
            turn.report(request, document, outside.tell);
            if !has_ended {
                running.push(turn);
                continue;
            }
            if let Some(next) = turn.settle(request, document) {
                running.push(next);
                continue;
            }
            (outside.write)(document)?;
            if let Some(check) = document.checks.get(number) {
                (outside.tell)(Message::Ended(check));
            }
        }
    }
}

/// Those who were asked to end; once more when somebody is impatient, upon which they kill what does not end.
fn wait_for(mut running: Vec<RunningCheck>, impatient: &AtomicBool) {
    let mut was_asked_again = false;
    while !running.is_empty() {
        if impatient.load(Ordering::Relaxed) && !was_asked_again {
            running.iter_mut().for_each(RunningCheck::ask_to_end);
            was_asked_again = true;
        }
        running.retain_mut(|turn| !turn.has_ended());
        std::thread::sleep(PAUSE);
    }
}
