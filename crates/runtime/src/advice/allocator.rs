//! The settings of torch's allocator that are in force, what is wrong with them, and what to set for one card.
//!
//! What torch does with a value is known for torch 2.15, which was run on a machine without a GPU; older versions differ in
//! which of the names wins.

use super::{Advice, CUDA_NOTES, Level, shares_memory, shown};
use crate::allocator::{self, Kind};
use crate::runtime::cards::Card;
use crate::runtime::surroundings::{Environment, Platform};
use serde::Serialize;

/// What is in force, and what to make of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AllocatorAdvice {
    /// The variables that are set, the one in force first.
    pub variables: Vec<Variable>,
    /// What the one in force says.
    pub settings: Vec<Setting>,
    /// What must be known about it; the worst first.
    pub findings: Vec<Advice>,
    pub recommendation: Recommendation,
}

/// One of the names that the settings have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Variable {
    pub name: &'static str,
    pub value: String,
    pub in_force: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    pub key: String,
    pub value: String,
}

/// What to set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recommendation {
    /// The value for PYTORCH_CUDA_ALLOC_CONF; `None`: leave it as it is.
    pub value: Option<&'static str>,
    pub reasons: Vec<Advice>,
}

/// In the order in which torch 2.15 looks at them.
const NAMES: [&str; 3] = ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF"];
const RUN: &str = "torch 2.15, run on a machine without a GPU";
const SEGMENTS: &str = "expandable_segments:True";
/// Below this, one fragment more or less decides whether a batch fits.
const SMALL: u64 = 12 << 30;
/// Cards report a little less than is printed on the box.
const SLACK: u64 = 1 << 30;

impl AllocatorAdvice {
    /// `card`: the one that the process gets; `None` when it is not known.
    pub fn of(environment: &Environment, platform: &Platform, card: Option<&Card>) -> AllocatorAdvice {
        let set = NAMES.into_iter().filter_map(|name| Some((name, environment.get(name)?)));
        let variables: Vec<Variable> = set
            .enumerate()
            .map(|(at, (name, value))| Variable { name, value: value.to_owned(), in_force: at == 0 })
            .collect();
        let in_force = variables.first();
        let value = in_force.map_or("", |one| one.value.as_str());
        let mut findings = about_names(&variables);
        if let Some(one) = in_force {
            findings.extend(about_value(one, platform, card));
        }
        if environment.get("PYTORCH_NO_CUDA_MEMORY_CACHING") == Some("1") {
            findings.push(Advice::sourced(
                Level::Warning,
                "PYTORCH_NO_CUDA_MEMORY_CACHING is `1`: torch keeps no memory for later, so these settings have nothing \
                 to act on, and each allocation costs a call of the driver",
                RUN,
            ));
        }
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        let is_broken = allocator::problem(value).is_some();
        AllocatorAdvice {
            settings: allocator::settings(value)
                .map(|(key, value)| Setting { key: key.to_owned(), value: value.to_owned() })
                .collect(),
            recommendation: recommendation(value, is_broken, platform, card),
            variables,
            findings,
        }
    }
}

fn about_names(variables: &[Variable]) -> Vec<Advice> {
    let mut found = Vec::new();
    let Some((first, others)) = variables.split_first() else { return found };
    for other in others.iter().filter(|other| !allocator::says_the_same(&first.value, &other.value)) {
        let text = match first.name {
            "PYTORCH_HIP_ALLOC_CONF" => format!(
                "{} and {} differ: in a build of torch for CUDA the first gives the general settings and the second \
                 `backend` and those of CUDA; set one of them only",
                first.name, other.name
            ),
            _ => format!(
                "{} and {} differ: torch 2.15 follows {} alone, and older versions chose in another order",
                first.name, other.name, first.name
            ),
        };
        found.push(Advice::sourced(Level::Warning, text, RUN));
    }
    match (first.name, others) {
        ("PYTORCH_ALLOC_CONF", _) => found.push(Advice::sourced(
            Level::Note,
            "PYTORCH_ALLOC_CONF is known since torch 2.9; every version reads PYTORCH_CUDA_ALLOC_CONF",
            CUDA_NOTES,
        )),
        ("PYTORCH_HIP_ALLOC_CONF", []) => found.push(Advice::sourced(
            Level::Note,
            "in a build of torch for CUDA, `backend` and the settings of CUDA are not read from PYTORCH_HIP_ALLOC_CONF",
            RUN,
        )),
        _ => {}
    }
    found
}

fn about_value(variable: &Variable, platform: &Platform, card: Option<&Card>) -> Vec<Advice> {
    let Variable { name, value, .. } = variable;
    if let Some(problem) = allocator::problem(value) {
        let (level, what) = match problem.kind {
            // A build for CUDA reads this name later, and raises.
            Kind::Aborts if *name == "PYTORCH_HIP_ALLOC_CONF" => {
                (Level::Error, "torch raises an error for it")
            }
            Kind::Aborts => (Level::Error, "`import torch` ends the interpreter"),
            Kind::Raises => (Level::Error, "the first use of the GPU by torch raises an error"),
            Kind::UnknownKey => (Level::Error, "torch 2.15 does not know the key and raises an error"),
        };
        let text = format!("{name}: `{}` is wrong, {what}; expected {}", problem.item, problem.wanted);
        return vec![Advice::sourced(level, text, RUN)];
    }
    let said =
        |key: &str| allocator::settings(value).find(|(known, _)| *known == key).map(|(_, value)| value);
    let mut found = Vec::new();
    let ignored = allocator::ignored_by_backend(value);
    if !ignored.is_empty() {
        let text = format!("`backend:cudaMallocAsync` passes over {}", ignored.join(", "));
        found.push(Advice::sourced(Level::Warning, text, CUDA_NOTES));
    }
    let fraction = said("per_process_memory_fraction").and_then(|text| text.parse::<f64>().ok());
    if let (Some(fraction), Some(card)) = (fraction, card) {
        let bytes = (card.memory as f64 * fraction) as u64;
        let text =
            format!("`per_process_memory_fraction:{fraction}` lets torch use {} of this card", shown(bytes));
        found.push(Advice::arithmetic(Level::Note, text));
    }
    if said("garbage_collection_threshold").is_some()
        && !fraction.is_some_and(|fraction| fraction < 1.0)
        && !ignored.contains(&"garbage_collection_threshold")
    {
        found.push(Advice::sourced(
            Level::Warning,
            "`garbage_collection_threshold` acts only in a process whose memory is limited: by \
             `torch.cuda.set_per_process_memory_fraction`, or `per_process_memory_fraction` below 1",
            "https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDACachingAllocator.cpp",
        ));
    }
    if let Some(limit) = said("max_split_size_mb").filter(|_| !ignored.contains(&"max_split_size_mb")) {
        let mebibytes: Option<u64> = limit.parse().ok();
        match (mebibytes, card) {
            (Some(limit), Some(card)) if limit >= card.memory >> 20 => {
                let size = shown(card.memory);
                let text = format!("`max_split_size_mb:{limit}` does nothing: no block of this card's {size} is larger");
                found.push(Advice::arithmetic(Level::Warning, text));
            }
            _ => found.push(Advice::sourced(
                Level::Note,
                "`max_split_size_mb` can cost much speed; torch's documentation calls it a last resort for programs that \
                 run out of memory while many split blocks lie idle",
                CUDA_NOTES,
            )),
        }
    }
    if said("expandable_segments") == Some("True") && platform.is_windows() {
        found.push(Advice::sourced(
            Level::Warning,
            "`expandable_segments` is not supported on Windows: torch warns and goes on without it",
            CUDA_NOTES,
        ));
    }
    found
}

/// Nobody has published settings for an architecture or a size of memory; the size decides here only whether to act early.
fn recommendation(value: &str, is_broken: bool, platform: &Platform, card: Option<&Card>) -> Recommendation {
    let has_segments = !is_broken && allocator::includes(value, SEGMENTS);
    let mut reasons = vec![Advice::sourced(
        Level::Note,
        "torch's documentation ties no setting to an architecture or to a size of memory",
        CUDA_NOTES,
    )];
    let shared = card.and_then(Card::compute_capability).is_some_and(shares_memory);
    let value = match card {
        _ if has_segments => {
            reasons.push(Advice::sourced(
                Level::Note,
                "`expandable_segments:True` is set, which is the first thing to try against fragmentation",
                CUDA_NOTES,
            ));
            None
        }
        _ if !platform.is_linux() => {
            reasons.push(Advice::rule_of_thumb(
                "leave torch's own settings: expandable segments are for Linux, and nothing else helps in general",
            ));
            None
        }
        _ if shared => {
            reasons.push(Advice::rule_of_thumb(
                "leave torch's own settings on a GPU that shares its memory with the processor",
            ));
            None
        }
        // Another allocator, which was chosen.
        _ if !is_broken && allocator::includes(value, "backend:cudaMallocAsync") => {
            reasons
                .push(Advice::rule_of_thumb("leave `backend:cudaMallocAsync` if it was chosen by measuring"));
            None
        }
        None => None,
        Some(card) => {
            reasons.push(Advice::sourced(
                Level::Note,
                "`expandable_segments:True` lets blocks grow, and helps programs whose sizes of allocations change often, \
                 such as with batches of different sizes; a version of torch that does not know it raises an error",
                CUDA_NOTES,
            ));
            let size = shown(card.memory);
            let small = card.memory <= SMALL + SLACK;
            reasons.push(Advice::rule_of_thumb(match small {
                true => format!("with {size}, set it from the start: on a small card fragments cost a batch early"),
                false => format!(
                    "with {size}, set it when a program runs out of memory while torch reports much that is reserved and \
                     not allocated"
                ),
            }));
            // What somebody has set is not replaced, unless torch refuses it.
            (is_broken || (small && value.trim().is_empty())).then_some(SEGMENTS)
        }
    };
    Recommendation { value, reasons }
}
