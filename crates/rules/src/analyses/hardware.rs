//! What code, comments and documents say of NVIDIA's hardware, held against [`crate::architectures`]. Three rules share
//! what is found here: each takes the faults of its topic.

mod branches;
mod claims;
mod conditions;
mod emulation;
mod features;
mod labels;
mod literals;
mod margins;
mod mentions;
mod names;
mod patterns;
mod prose;
mod range;
mod sizes;
mod tables;

use crate::facts::Span;
use crate::findings::Severity;
use crate::languages::passages;
use crate::rules::files::{FileScope, RawFinding};

pub(super) use emulation::gates_that_emulation_opens;

/// What a fault is about, and so which rule it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    /// A compute capability and an architecture.
    Architecture,
    /// A product.
    Product,
    /// What hardware can do.
    Feature,
}

/// Something wrong in a sentence; places count in it.
#[derive(Debug)]
struct Fault {
    topic: Topic,
    start: usize,
    end: usize,
    text: String,
}

/// Something wrong in a file.
#[derive(Clone, Debug)]
pub struct Found {
    topic: Topic,
    span: Span,
    text: String,
    /// People read it; nothing runs it.
    in_prose: bool,
    /// What it rests on.
    beside: Option<(Span, &'static str)>,
}

/// Words without which there is nothing to look for about architectures.
pub(super) const ARCHITECTURES: &[&str] = &[
    "Kepler",
    "Maxwell",
    "Pascal",
    "Volta",
    "Turing",
    "Ampere",
    "Lovelace",
    "Ada ",
    "Ada\"",
    "Ada'",
    "Ada)",
    "Ada,",
    "Ada:",
    "Ada-",
    "Ada/",
    "Ada\n",
    "Ada|",
    "Ada.",
    "Ada`",
    "Ada*",
    "Hopper",
    "Blackwell",
    "KEPLER",
    "MAXWELL",
    "PASCAL",
    "VOLTA",
    "TURING",
    "AMPERE",
    "LOVELACE",
    "ADA\"",
    "ADA'",
    "ADA ",
    "ADA=",
    "_ADA",
    "ADA_",
    "ADA:",
    "HOPPER",
    "BLACKWELL",
    "kepler",
    "maxwell",
    "pascal",
    "volta\"",
    "volta'",
    "volta ",
    "volta_",
    "volta)",
    "volta:",
    "\"turing",
    "'turing",
    " turing",
    "_turing",
    "(turing",
    "ampere",
    "lovelace",
    "_ada\"",
    "_ada'",
    "_ada(",
    "_ada ",
    "_ada:",
    "_ada,",
    "_ada)",
    "_ada=",
    "_ada_",
    "_ada\n",
    "ada_lovelace",
    "is_ada",
    "\"ada\"",
    "\"ada_",
    "\"ada ",
    "'ada'",
    "'ada_",
    "'ada ",
    "hopper",
    "blackwell",
];

/// The same about products.
pub(super) const PRODUCTS: &[&str] = &[
    "RTX", "GTX", "rtx", "gtx", "Titan", "TITAN", "Tesla", "Jetson", "DGX", "GB10", "K80", "M40", "P100",
    "P40", "V100", "T4", "A100", "A800", "A30", "A2", "A10", "A16", "A40", "L4", "H100", "H200", "H800",
    "B200", "B300",
];

/// The same about features.
pub(super) const FEATURES: &[&str] = &[
    "bf16",
    "BF16",
    "bfloat16",
    "tf32",
    "TF32",
    "fp8",
    "FP8",
    "float8",
    "e4m3",
    "FP4",
    "fp4",
    "flash_att",
    "lashAttention-2",
    "cp.async",
    "cp_async",
    "wgmma",
    "WGMMA",
    "tcgen05",
];

/// Beside a feature or a product in Python: what a gate or a claim has as well.
pub(super) const GATES: &[&str] = &[
    "apabilit",
    "APABILIT",
    "sm_",
    "SM_",
    "SM8",
    "SM9",
    "sm8",
    "sm9",
    "major",
    "TF32",
    "tf32",
    "Kepler",
    "Maxwell",
    "Pascal",
    "Volta",
    "Turing",
    "Ampere",
    "Lovelace",
    "Ada ",
    "Hopper",
    "Blackwell",
    "RTX",
    "GTX",
    "Tesla",
    "A100",
    "H100",
    "V100",
    "VRAM",
    "GiB",
    " GB",
    "24GB",
    "16GB",
    "12GB",
    "80GB",
    "40GB",
    "48GB",
    "32GB",
    "8GB",
    "10GB",
    "11GB",
    "memory_gb",
    "antissa",
];

/// Capabilities that are given to another architecture.
pub(super) fn wrong_architectures(scope: &FileScope<'_>) -> Vec<RawFinding> {
    raw_findings(scope, Topic::Architecture)
}

/// Products with the architecture, capability or memory of another.
pub(super) fn wrong_products(scope: &FileScope<'_>) -> Vec<RawFinding> {
    raw_findings(scope, Topic::Product)
}

/// Features where the hardware has none.
pub(super) fn wrong_gates(scope: &FileScope<'_>) -> Vec<RawFinding> {
    raw_findings(scope, Topic::Feature)
}

/// What is wrong in a file, whatever it is about.
fn faults(scope: &FileScope<'_>) -> Vec<Found> {
    let mut found = literals::faults(scope);
    let branches = branches::faults(scope);
    let passages = passages(scope.program.sources.file(scope.file), scope.code);
    let margins = margins::faults(scope, &passages, &branches.tests);
    // What a comment says of a condition, a message behind it only says again.
    let said_again = |one: &Found| {
        one.in_prose
            && one.beside.is_some_and(|(gate, _)| {
                margins.iter().any(|comment| line(scope, comment.span) == line(scope, gate))
            })
    };
    found.extend(branches.found.into_iter().filter(|one| !said_again(one)));
    found.extend(margins);
    found.extend(prose::faults(scope, &passages));
    found
}

fn line(scope: &FileScope<'_>, span: Span) -> usize {
    scope.whole_text()[..span.start as usize].bytes().filter(|byte| *byte == b'\n').count()
}

fn raw_findings(scope: &FileScope<'_>, topic: Topic) -> Vec<RawFinding> {
    let all = scope.answers.hardware.get_or_init(|| faults(scope));
    let mut found: Vec<Found> = all.iter().filter(|one| one.topic == topic).cloned().collect();
    found.sort_by_key(|one| (one.span, one.in_prose));
    // One line, one fault: what code says wrongly, its comment may say again.
    found.dedup_by(|later, first| {
        later.span == first.span
            || (later.text == first.text && line(scope, later.span) == line(scope, first.span))
    });
    let raw_finding = |one: Found| {
        let seen = RawFinding::at(scope.place(one.span)).word("fault", one.text);
        let seen = match one.beside {
            Some((span, what)) => seen.beside(scope.place(span), what),
            None => seen,
        };
        if one.in_prose { seen.at_most(Severity::Warning) } else { seen }
    };
    found.into_iter().map(raw_finding).collect()
}
