//! The correction report for programs: one JSON object. Its shape is a promise: keys are added, never renamed, without a
//! new `schema`.

use super::{Entry, Left, Proof, entries, left, proofs};
use crate::corrections::RemainingFinding;
use crate::report::Report;
use serde::Serialize;
use std::io::Write;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let (files, left) = (entries(report), left(report));
    let known = report.corrections;
    let numbers = known.into_iter().flat_map(|corrections| &corrections.files).map(|file| file.file);
    let proofs = numbers.map(|file| proofs(file, report));
    let document = Document {
        schema: 1,
        tool: Tool { name: "gpulint", version: env!("CARGO_PKG_VERSION") },
        wanted: known.is_some(),
        written: known.is_some_and(|corrections| !corrections.is_dry),
        summary: Summary {
            files: files.len(),
            mended: known.map_or(0, |corrections| corrections.mended),
            left: left.len(),
            complete: known.map(|corrections| !corrections.is_partial),
            repeatable: known.map(|corrections| corrections.is_final),
        },
        files: files.into_iter().zip(proofs).map(|(entry, proof)| Proven { entry, proof }).collect(),
        left,
        dropped: known.map_or(&[], |corrections| &corrections.dropped),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: Tool,
    /// `--fix` or `--diff` was given.
    wanted: bool,
    /// The files are changed.
    written: bool,
    summary: Summary,
    files: Vec<Proven<'a>>,
    left: Vec<Left<'a>>,
    dropped: &'a [RemainingFinding],
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    mended: usize,
    left: usize,
    /// No file was left as it is because it could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    /// The same fixes on the result would change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeatable: Option<bool>,
}

#[derive(Serialize)]
struct Proven<'a> {
    #[serde(flatten)]
    entry: Entry<'a>,
    proof: &'static [Proof],
}
