//! Whether one command is as fast as another, with the same outputs: two commands, or one in two states of a project.
//!
//! ```text
//! runs        one run of one side: its time, how it ended, what it put out, what it had on the card
//! outputs     whether two runs put out the same
//! decision    what the times of all pairs show, as a pure function
//! document    all of it, as one JSON document
//! page        for people
//! ```
//!
//! The runs come in blocks of four, base-head-head-base or head-base-base-head, drawn for each block: what drifts hits both sides alike.
//! Each block gives two pairs, and one of base with itself, which shows whether the machine can tell so small a
//! difference at all. One card is held from the first run to the last.

pub mod decision;
pub mod document;
mod outputs;
mod page;
mod runs;

pub use page::text;
pub use runs::Scratch;

use super::exec::{ForeignProcessPolicy, Refusal, Request as OnCard, Strays, held, not_asked};
use super::machine;
use super::management::Listing;
use super::process::Limits;
use super::record::NotChecked;
use super::slot::Progress;
use super::validation::document::{Reason, Weight};
use super::validation::pages::words;
use crate::policy::{Gpu, Mode};
use crate::runtime::cards::Card;
use decision::{Conclusion, Rule};
use document::{Comparison, Side as SideTold, Timing, Verdict};
use outputs::Outputs;
use runs::{Run, RunEnd, RunPlace, last_words};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long memory of the card may take to come back after a run.
const RETURN: Duration = Duration::from_secs(2);
/// As many blocks may be thrown away as count, and so many more.
const MORE_DISTURBED: usize = 2;

/// What is wanted.
pub struct Request<'a> {
    pub base: Side,
    pub head: Side,
    pub rule: Rule,
    /// Files that each run writes, from its folder, and that are to be equal.
    pub files: &'a [PathBuf],
    /// By which part numbers in outputs may differ.
    pub tolerance: Option<f64>,
    pub ignores_stdout: bool,
    /// From which the order of the runs follows.
    pub seed: u64,
    pub gpu: Option<&'a Gpu>,
    pub mode: Mode,
    /// For each run.
    pub limits: Limits,
    pub slot_timeout: Option<Duration>,
    pub slot_folder: PathBuf,
    pub keep_env: &'a [String],
    pub hides_cards: bool,
    pub allows_simulated: bool,
    /// How long the driver may take for an answer.
    pub patience: Duration,
}

/// One of both.
pub struct Side {
    /// The program and its arguments; at least one word.
    pub command: Vec<OsString>,
    pub folder: PathBuf,
    /// What was named, and the commit that it stands for.
    pub reference: Option<String>,
    pub commit: Option<String>,
}

/// What is said while it runs.
pub enum Message<'a> {
    Waiting(&'a Card, &'a Progress),
    /// After a look: so many pairs of at most so many.
    Looked(&'a Comparison, usize),
}

impl Side {
    fn told(&self) -> SideTold {
        let command = self.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        SideTold {
            reference: self.reference.clone(),
            commit: self.commit.clone(),
            command,
            ..SideTold::default()
        }
    }
}

/// Compares both, and judges. The refusal, if there is one, is in the document as well.
pub fn run(
    request: &Request<'_>,
    scratch: &Scratch,
    tell: &mut dyn FnMut(Message<'_>),
) -> (Comparison, Option<Refusal>) {
    let began = Instant::now();
    let mut told = Comparison::begun(request.rule, request.seed, request.base.told(), request.head.told());
    let refusal = attempt(request, scratch.path(), &mut told, tell).err();
    if let Some(refusal) = &refusal {
        told.refuse(refusal);
    }
    told.reasons.sort_by_key(|reason| reason.weight);
    told.wall_seconds = Some(began.elapsed().as_secs_f64());
    (told, refusal)
}

fn attempt(
    request: &Request<'_>,
    scratch: &Path,
    told: &mut Comparison,
    tell: &mut dyn FnMut(Message<'_>),
) -> Result<(), Refusal> {
    let ground = ground(request, told, tell)?;
    let mut measured = Measured { request, ground, scratch, reference: None };
    // The first runs find cold caches, so their times do not count. Base runs twice: what is not the same twice says nothing about head.
    for which in [ComparedSide::Base, ComparedSide::Base, ComparedSide::Head] {
        if measured.run(which, told)?.is_none() {
            return Ok(());
        }
    }
    let (mut draws, mut series) = (request.seed, Series::default());
    for look in request.rule.looks() {
        while series.pairs.len() < look {
            draws = next(draws);
            let order = if draws & 1 == 0 { ABBA } else { BAAB };
            let mut block = Vec::new();
            for which in order {
                let Some(run) = measured.run(which, told)? else { return Ok(()) };
                block.push((which, run));
            }
            if let Some(why) = block.iter().find_map(|(_, run)| run.disturbed.clone()) {
                told.disturbed.push(why.clone());
                if told.disturbed.len() > series.controls.len() + MORE_DISTURBED {
                    told.end(
                        Verdict::Inconclusive,
                        Weight::Infrastructure,
                        "disturbed",
                        format!("too many runs were disturbed: {why}"),
                    );
                    return Ok(());
                }
                continue;
            }
            series.add(&block, told);
        }
        let conclusion = series.looked_at(request.rule, told);
        tell(Message::Looked(told, request.rule.pairs));
        if conclude(conclusion, look == request.rule.pairs, told) {
            return Ok(());
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComparedSide {
    Base,
    Head,
}

const ABBA: [ComparedSide; 4] =
    [ComparedSide::Base, ComparedSide::Head, ComparedSide::Head, ComparedSide::Base];
const BAAB: [ComparedSide; 4] =
    [ComparedSide::Head, ComparedSide::Base, ComparedSide::Base, ComparedSide::Head];

/// Xorshift (Marsaglia); of its bits only one is used at a time.
fn next(state: u64) -> u64 {
    let mut bits = state | 1 << 40;
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^ (bits << 17)
}

fn ground(
    request: &Request<'_>,
    told: &mut Comparison,
    tell: &mut dyn FnMut(Message<'_>),
) -> Result<RunPlace, Refusal> {
    if request.mode == Mode::Cpu {
        let listing = machine::listing(request.patience).map_err(not_asked)?;
        told.simulated = matches!(listing.answer(), Some(Listing::Cards { simulated: true, .. }));
        if told.simulated && !request.allows_simulated {
            return Err(Refusal::Simulated);
        }
        let (ground, unchecked) = RunPlace::without(told.simulated, request.patience);
        told.not_checked.extend(unchecked);
        return Ok(ground);
    }
    let on_card = OnCard {
        command: &request.head.command,
        gpu: request.gpu,
        mode: Mode::Gpu,
        limits: request.limits,
        slot_timeout: request.slot_timeout,
        slot_folder: request.slot_folder.clone(),
        foreign: ForeignProcessPolicy::Wait,
        strays: Strays::ByPolicy,
        keep_env: request.keep_env,
        hides_cards: request.hides_cards,
        allows_simulated: request.allows_simulated,
        patience: request.patience,
    };
    let Some((prepared, machine)) =
        held(&on_card, &mut |card, progress| tell(Message::Waiting(card, progress)))?
    else {
        let why = "this machine has none, and the policy asks for none".to_owned();
        told.not_checked.push(NotChecked { what: "memory of a card".to_owned(), why });
        return Ok(RunPlace::Plain);
    };
    told.simulated = machine.is_simulated();
    if let Some(Listing::Cards { driver, .. }) = machine.listing.answer() {
        told.driver.clone_from(driver);
    }
    told.card = Some(prepared.card.clone());
    told.not_checked.extend(prepared.unchecked.iter().cloned());
    if let Err(why) = &prepared.gauge {
        let what = "the memory of the card, and what may disturb the runs".to_owned();
        told.not_checked.push(NotChecked { what, why: why.clone() });
    }
    let what = "whether the clocks of the card were the same for both".to_owned();
    let why = "only that heat or power kept them down is looked at; lock them (`nvidia-smi -lgc`) where that is allowed".to_owned();
    told.not_checked.push(NotChecked { what, why });
    Ok(RunPlace::Card(Box::new(prepared)))
}

/// The runs so far.
struct Measured<'a> {
    request: &'a Request<'a>,
    ground: RunPlace,
    scratch: &'a Path,
    /// What base put out first.
    reference: Option<Outputs>,
}

impl Measured<'_> {
    /// Runs a side once more, and holds what it put out against what base put out first. `None` where that is the end, which the document says then.
    fn run(&mut self, which: ComparedSide, told: &mut Comparison) -> Result<Option<Run>, Refusal> {
        let side = if which == ComparedSide::Base { &self.request.base } else { &self.request.head };
        let mut run = runs::run(self.request, side, &self.ground, self.scratch)?;
        if matches!(run.end, RunEnd::Signal(1 | 2 | 15) | RunEnd::Code(130 | 143)) {
            let message = "it was interrupted before its end";
            told.end(Verdict::Interrupted, Weight::Infrastructure, "interrupted", message);
            return Ok(None);
        }
        let Some(outputs) = run.outputs.take() else {
            self.failed(which, &run.end, told);
            return Ok(None);
        };
        let Some(reference) = &self.reference else {
            self.reference = Some(outputs);
            return Ok(Some(run));
        };
        let Some(difference) = reference.difference(&outputs, self.request.tolerance) else {
            return Ok(Some(run));
        };
        match which {
            ComparedSide::Base => {
                let message = format!(
                    "base does not put out the same twice, so that nothing can be held against it: {difference}; `--tolerance 1e-6` allows numbers to differ by a part, `--ignore-stdout` leaves out what it says"
                );
                told.end(Verdict::Inconclusive, Weight::Infrastructure, "not-repeatable", message);
            }
            ComparedSide::Head => {
                let message = format!("base and head do not put out the same: {difference}");
                told.end(Verdict::OutputsDiffer, Weight::Rejection, "outputs-differ", message);
            }
        }
        Ok(None)
    }

    fn failed(&self, which: ComparedSide, end: &RunEnd, told: &mut Comparison) {
        let last = match end {
            RunEnd::Missing(_) => None,
            _ => last_words(self.scratch),
        };
        let last = last.map(|line| format!("; it said last: {line}")).unwrap_or_default();
        match which {
            ComparedSide::Base => {
                let message = format!("base {}, so that nothing can be held against it{last}", end.words());
                told.end(Verdict::Inconclusive, Weight::Infrastructure, "base-failed", message);
            }
            ComparedSide::Head => {
                let message = format!("base ended well, and head {}{last}", end.words());
                told.end(Verdict::OutputsDiffer, Weight::Rejection, "head-failed", message);
            }
        }
    }
}

/// The logarithms of pairs.
#[derive(Default)]
struct Series {
    pairs: Vec<f64>,
    controls: Vec<f64>,
}

impl Series {
    /// A block of four runs: neighbours are a pair, and both runs of base are one with itself.
    fn add(&mut self, block: &[(ComparedSide, Run)], told: &mut Comparison) {
        for neighbours in block.chunks(2) {
            let seconds =
                |which| neighbours.iter().find(|(one, _)| *one == which).map(|(_, run)| run.seconds);
            if let (Some(base), Some(head)) = (seconds(ComparedSide::Base), seconds(ComparedSide::Head)) {
                self.pairs.push((head / base).ln());
            }
        }
        let base: Vec<f64> = block
            .iter()
            .filter(|(which, _)| *which == ComparedSide::Base)
            .map(|(_, run)| run.seconds)
            .collect();
        if let [earlier, later] = base[..] {
            self.controls.push((later / earlier).ln());
        }
        for (which, run) in block {
            let side = if *which == ComparedSide::Base { &mut told.base } else { &mut told.head };
            side.seconds.push(run.seconds);
            side.peak_memory = side.peak_memory.max(run.peak_memory);
        }
    }

    fn looked_at(&self, rule: Rule, told: &mut Comparison) -> Conclusion {
        let (outcome, estimate) = rule.outcome(&self.pairs);
        let (of_control, estimate_of_control) = rule.control(&self.controls);
        told.timing = Some(Timing { outcome, estimate });
        told.control = Some(Timing { outcome: of_control, estimate: estimate_of_control });
        rule.conclusion(outcome, of_control)
    }
}

/// Writes down what it comes to, if that is the end.
fn conclude(conclusion: Conclusion, is_last: bool, told: &mut Comparison) -> bool {
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let margin = percent(told.margin);
    let ratio = told.timing.and_then(|timing| timing.estimate.ratio).unwrap_or(1.0);
    match conclusion {
        Conclusion::Preserved => {
            told.verdict = Verdict::Preserved;
            told.exit_code = Verdict::Preserved.exit_code();
            if told.timing.is_some_and(|timing| timing.outcome == decision::Outcome::Faster) {
                let message = format!("head takes {} less time", percent(1.0 - ratio));
                told.reasons.push(Reason::of(Weight::Note, "faster", message));
            }
            if let (Some(base), Some(head)) = (told.base.peak_memory, told.head.peak_memory)
                && head > base + (base / 50).max(2 << 20)
            {
                let message = format!(
                    "head has {} on the card at most, and base {}",
                    words::size(head as f64),
                    words::size(base as f64)
                );
                told.reasons.push(Reason::of(Weight::Note, "more-memory", message));
            }
        }
        Conclusion::Regressed => {
            let message = format!(
                "head takes {} more time than base, and no more than {margin} of the speed may be lost",
                percent(ratio - 1.0)
            );
            told.end(Verdict::Regressed, Weight::Rejection, "slower", message);
        }
        Conclusion::TooFast => {
            let message = format!(
                "head takes {} less time than base, and `--symmetric` allows no more than {margin}",
                percent(1.0 - ratio)
            );
            told.end(Verdict::Regressed, Weight::Rejection, "too-fast", message);
        }
        Conclusion::Unfit => {
            let of_itself = told.control.and_then(|control| control.estimate.ratio).unwrap_or(1.0);
            let message = format!(
                "this machine cannot tell: base takes {:.3} times as long as itself; let nothing else run, and lock the clocks",
                of_itself
            );
            told.end(Verdict::Inconclusive, Weight::Infrastructure, "machine-unfit", message);
        }
        Conclusion::Inconclusive if is_last => {
            let detectable = told.timing.and_then(|timing| timing.estimate.detectable);
            let detectable = detectable
                .map(|part| format!("; so many pairs find {} at best", percent(part)))
                .unwrap_or_default();
            let pairs = told.timing.map(|timing| timing.estimate.pairs).unwrap_or_default();
            let message = format!(
                "{pairs} pairs do not show whether {margin} of the speed are lost{detectable}: more `--pairs`, longer runs, or a quieter machine"
            );
            told.end(Verdict::Inconclusive, Weight::Infrastructure, "too-noisy", message);
        }
        Conclusion::Inconclusive => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::document::Comparison;
    use super::next;
    use crate::runtime::document::Document;
    use std::path::Path;

    #[test]
    fn the_committed_schema_is_fresh() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gpulint-comparison.schema.json");
        if std::env::var_os("GPULINT_UPDATE").is_some() {
            std::fs::write(&file, Comparison::schema_text()).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == Comparison::schema_text(),
            "gpulint-comparison.schema.json is not what the types say; run `GPULINT_UPDATE=1 cargo test --lib compare` and commit it"
        );
    }

    #[test]
    fn both_orders_are_drawn() {
        for seed in 0..50 {
            let drawn: Vec<u64> = std::iter::successors(Some(next(seed)), |state| Some(next(*state)))
                .take(40)
                .map(|state| state & 1)
                .collect();
            let ones = drawn.iter().sum::<u64>();
            assert!((8..=32).contains(&ones), "{seed}: {drawn:?}");
        }
    }
}
