//! How large a batch may be on one card.
//!
//! The memory that a sample needs belongs to a model and is not known here. What can be said is how much memory is left on
//! the card, the formula, and, where somebody measured their model or knows a batch that fits another card, the numbers.

use super::{Advice, Level, shown};
use crate::runtime::cards::Card;
use serde::Serialize;

/// What somebody knows of their program. All of it is optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramFigures {
    /// Memory that does not grow with the batch: weights, gradients, the state of the optimiser.
    pub model_bytes: Option<u64>,
    /// Memory that each sample adds at its peak.
    pub sample_bytes: Option<u64>,
    /// What the driver tells is free on the card now.
    pub free_bytes: Option<u64>,
    /// A batch that fits another card.
    pub fits: Option<Fit>,
}

/// A batch that fits a card with so much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fit {
    pub batch: u64,
    pub memory: u64,
}

/// How large a batch may be, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BatchAdvice {
    /// What is there: the memory of the card, or what is free of it.
    pub available_bytes: u64,
    /// What is not for the model and its batches.
    pub reserves: Vec<Reserve>,
    /// What is left.
    pub usable_bytes: u64,
    /// With the numbers of this card in it.
    pub formula: String,
    /// The largest batch by the formula, where model and sample are known; 0 when not even the model fits.
    pub largest: Option<u64>,
    /// The batch to begin with.
    pub start: Option<u64>,
    pub scaled: Option<Scaled>,
    pub notes: Vec<Advice>,
}

/// Memory that is kept back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reserve {
    pub bytes: u64,
    pub reason: Advice,
}

/// A batch that fits another card, brought to this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scaled {
    pub from: Fit,
    pub batch: u64,
    /// It fits here if memory grows evenly with the batch; otherwise it is only where to begin to try.
    pub fits: bool,
    pub reason: Advice,
}

const MIB: u64 = 1 << 20;
/// Between the numbers that were reported.
const CONTEXT: u64 = 512 * MIB;
/// What torch sets aside for cuBLAS.
const WORKSPACE: u64 = 8_519_680;
const WORKSPACE_OF_HOPPER: u64 = 32 * MIB;

impl BatchAdvice {
    pub fn of(card: &Card, known: &ProgramFigures) -> BatchAdvice {
        let available = known.free_bytes.map_or(card.memory, |free| free.min(card.memory));
        let reserves = reserves(available, card);
        let usable = left(available, &reserves);
        let largest = known
            .model_bytes
            .zip(known.sample_bytes)
            .map(|(model, sample)| usable.saturating_sub(model).checked_div(sample).unwrap_or(0));
        let scaled = known.fits.map(|fit| scaled(fit, usable, card, known));
        let by_scale = scaled.as_ref().map(|scaled| scaled.batch);
        let start = largest.or(by_scale).filter(|batch| *batch > 0).map(power_of_two_within);
        let mut notes = Vec::new();
        if let (Some(0), Some(model)) = (largest, known.model_bytes) {
            let (model, usable) = (shown(model), shown(usable));
            let text = match known.sample_bytes {
                Some(0) => "a sample of 0 bytes says nothing about the batch: measure it".to_owned(),
                _ => {
                    format!("not even one sample fits: the model takes {model} of the {usable} that are left")
                }
            };
            notes.push(Advice::arithmetic(Level::Warning, text));
        }
        if start.is_some() {
            notes.push(Advice::rule_of_thumb(
                "begin with the power of two that is not above the largest batch, and go up while the peak allows it",
            ));
        }
        if largest.is_none() {
            notes.push(how_to_measure());
        }
        BatchAdvice {
            available_bytes: available,
            usable_bytes: usable,
            formula: formula(usable, known),
            reserves,
            largest,
            start,
            scaled,
            notes,
        }
    }
}

fn reserves(available: u64, card: &Card) -> Vec<Reserve> {
    const WORKSPACES: &str = "https://github.com/pytorch/pytorch/issues/120925";
    let hopper = card.capability.is_some_and(|(major, _)| major >= 9);
    let workspace = if hopper { WORKSPACE_OF_HOPPER } else { WORKSPACE };
    let head_room = available / 10;
    vec![
        Reserve {
            bytes: CONTEXT,
            reason: Advice::rule_of_thumb(format!(
                "{} for the context of CUDA; reports go from 250 MB to 670 MB, by card, driver and loading",
                shown(CONTEXT)
            )),
        },
        Reserve {
            bytes: workspace,
            reason: Advice::sourced(
                Level::Note,
                format!("{} as the workspace of cuBLAS, for one stream", shown(workspace)),
                WORKSPACES,
            ),
        },
        Reserve {
            bytes: head_room,
            reason: Advice::rule_of_thumb(format!(
                "{}, a tenth of what is there, for fragments and for inputs longer than usual",
                shown(head_room)
            )),
        },
    ]
}

fn left(available: u64, reserves: &[Reserve]) -> u64 {
    reserves.iter().fold(available, |left, reserve| left.saturating_sub(reserve.bytes))
}

fn formula(usable: u64, known: &ProgramFigures) -> String {
    let number = |bytes: Option<u64>, name: &str| bytes.map_or(name.to_owned(), shown);
    let (model, sample) = (number(known.model_bytes, "model"), number(known.sample_bytes, "sample"));
    format!("largest batch = ({} - {model}) / {sample}", shown(usable))
}

/// A batch that fits there needs no more than `model + batch * sample` of what is left there. On a card with more memory at
/// least the same share of it fits, whatever the model takes; on one with less the model takes a larger share.
fn scaled(fit: Fit, usable: u64, card: &Card, known: &ProgramFigures) -> Scaled {
    let there = left(fit.memory, &reserves(fit.memory, card));
    let share = |here: u64, there: u64| {
        let batch = u128::from(fit.batch) * u128::from(here) / u128::from(there.max(1));
        u64::try_from(batch).unwrap_or(u64::MAX)
    };
    let because = format!("because a batch of {} fits {}", fit.batch, shown(fit.memory));
    let here = shown(usable);
    let model = known.model_bytes.filter(|model| *model < there);
    let (batch, fits, text) = match model {
        Some(model) => {
            let batch = share(usable.saturating_sub(model), there - model);
            let model = shown(model);
            (
                batch,
                batch > 0,
                format!(
                    "a batch of {batch} fits the {here} that are left here, {because} beside a model of {model}"
                ),
            )
        }
        None if usable >= there => {
            let batch = share(usable, there);
            (batch, true, format!("a batch of {batch} fits the {here} that are left here, {because}"))
        }
        None => {
            let batch = share(usable, there);
            let text = format!(
                "a batch of {batch} may be too large for the {here} that are left here, {because}: the model takes a larger \
                 share of a smaller card, and its size is needed to say more"
            );
            (batch, false, text)
        }
    };
    Scaled { from: fit, batch, fits, reason: Advice::arithmetic(Level::Note, text) }
}

fn how_to_measure() -> Advice {
    Advice::sourced(
        Level::Note,
        "measure the model: `torch.cuda.max_memory_allocated()` after one step with a batch of 1 and, in a new process, with \
         a batch of 2; the difference is the sample, and the first without the difference the model",
        "https://docs.pytorch.org/docs/stable/generated/torch.cuda.max_memory_allocated.html",
    )
}

fn power_of_two_within(batch: u64) -> u64 {
    1 << batch.max(1).ilog2()
}
