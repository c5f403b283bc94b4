//! Advice for one card: the settings of torch's allocator, the size of batches, and what its architecture can do.
//!
//! Every sentence says what it rests on. Where nobody has published a reason, it is called a rule of thumb, in the text too.

pub mod allocator;
pub mod architecture;
pub mod batch;

use serde::Serialize;

/// One sentence, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    pub level: Level,
    pub text: String,
    pub basis: Basis,
}

/// How much a sentence matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Note,
    /// Something does not do what it looks as if it did.
    Warning,
    /// Something ends the program.
    Error,
}

/// What a sentence rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "source")]
pub enum Basis {
    /// Documentation, source code or a report, by its address; or that it was seen when it was run.
    Source(&'static str),
    /// It follows from the numbers beside it.
    Arithmetic,
    /// Experience, which nobody has published a reason for.
    RuleOfThumb,
}

impl Advice {
    fn sourced(level: Level, text: impl Into<String>, source: &'static str) -> Advice {
        Advice { level, text: text.into(), basis: Basis::Source(source) }
    }

    fn arithmetic(level: Level, text: impl Into<String>) -> Advice {
        Advice { level, text: text.into(), basis: Basis::Arithmetic }
    }

    fn rule_of_thumb(text: impl AsRef<str>) -> Advice {
        let text = format!("rule of thumb: {}", text.as_ref());
        Advice { level: Level::Note, text, basis: Basis::RuleOfThumb }
    }
}

/// torch's page on the semantics of CUDA, which describes the allocator.
const CUDA_NOTES: &str = "https://docs.pytorch.org/docs/stable/notes/cuda.html";

/// An amount of memory as people read it: `23.6 GiB`, `512 MiB`.
pub fn shown(bytes: u64) -> String {
    const GIB: u64 = 1 << 30;
    match bytes {
        GIB.. => format!("{:.1} GiB", bytes as f64 / GIB as f64),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Whether hardware of this capability sits beside a processor and shares its memory: Jetson, and DGX Spark.
fn shares_memory(capability: crate::architectures::Capability) -> bool {
    const SHARING: [(u8, u8); 7] = [(5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0), (12, 1)];
    SHARING.contains(&(capability.major, capability.minor))
}

#[cfg(test)]
mod tests;
