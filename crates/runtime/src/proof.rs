//! That a command does without the GPU: none of the forbidden modules is imported in it or in what it starts, none of its processes opens a
//! device file of a GPU or is on a card, and it ends well. Where devices are hidden as well (`strict`), it could not have used one.
//!
//! ```text
//! harness     what Python tells about its imports, from within each process
//! sightings   what the system and NVML tell about the processes, from outside
//! document    both, as one JSON document
//! judgement   what it proves
//! page        for people
//! ```
//!
//! The command runs as the same user as gpulint, so it could take the evidence away: this is a proof about a program, not against somebody.

pub mod document;
mod harness;
mod judgement;
mod page;
mod sightings;

pub use page::{seen, text};

use super::exec::withheld::WithheldVariables;
use super::exec::{NO_CARD, Refusal, add_end, changes, not_asked, prevented_for_cpu, started};
use super::machine::{self, CardAnswer};
use super::management::{CardState, Listing};
use super::prevention::{Prevention, device_folder, files_of_cards};
use super::process::{Limits, Promise};
use super::record::{NotChecked, Record};
use document::Proof;
use harness::Harness;
use sightings::Watch;
use std::ffi::OsString;
use std::time::Duration;

/// What is wanted.
pub struct Request<'a> {
    /// The program and its arguments; at least one word.
    pub command: &'a [OsString],
    /// Modules that must not be imported, with all that lies below them; `*` and `**` stand for any names.
    pub forbidden: Vec<String>,
    /// Whether the devices are hidden as well.
    pub strict: bool,
    pub limits: Limits,
    /// Names of variables of a CI job that the command gets although they could be used to forge an outcome.
    pub keep_env: &'a [String],
    pub allows_simulated: bool,
    /// How long the driver may take for an answer.
    pub patience: Duration,
}

/// Runs the command and judges what was seen.
///
/// # Errors
/// When the command was not started.
pub fn run(request: &Request<'_>) -> Result<Proof, Refusal> {
    let words = request.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut record = Record::begun(words);
    let listing = machine::listing(request.patience).map_err(not_asked)?;
    record.simulated = matches!(listing.answer(), Some(Listing::Cards { simulated: true, .. }));
    if record.simulated && !request.allows_simulated {
        return Err(Refusal::Simulated);
    }
    let folder = device_folder(record.simulated);
    let device_files: Vec<_> = files_of_cards(&folder).into_values().collect();
    let boards = boards(&listing);
    if boards.is_empty() && !device_files.is_empty() {
        record.not_checked.push(NotChecked {
            what: "whether a process of the command was on a card".to_owned(),
            why: "NVML tells of no card, and there are device files of cards".to_owned(),
        });
    }
    if boards.is_empty() && device_files.is_empty() {
        record.not_checked.push(NotChecked {
            what: "whether the command would ask the driver of a GPU".to_owned(),
            why: "this machine has no GPU, and so none to ask".to_owned(),
        });
    }
    let environment = if request.strict { vec![(NO_CARD.0, NO_CARD.1.to_owned())] } else { Vec::new() };
    let mut hiding = None;
    if request.strict {
        let (hidden, prevention) = prevented_for_cpu(&environment, device_files.clone(), request.patience);
        if let Prevention::NotPossible { why } = &prevention {
            let what = "whether the command needs a GPU that it finds past CUDA_VISIBLE_DEVICES".to_owned();
            record.not_checked.push(NotChecked { what, why: why.clone() });
        }
        record.prevention = Some(prevention);
        hiding = hidden;
    }
    let withheld = WithheldVariables::of_process(request.keep_env);
    record.environment = changes(&environment, &withheld);
    record.kept_environment.clone_from(&withheld.kept);
    let harness = Harness::new(&request.forbidden)
        .map_err(|error| Refusal::Usage(format!("no folder for what Python tells can be made: {error}")))?;
    let variables = environment.iter().map(|(name, value)| (*name, value.into()));
    let variables = variables.chain(harness.environment());
    let mut promise = None;
    let running =
        started(request.command, request.limits, variables, &withheld, hiding.as_ref(), |command| {
            promise = Promise::of(command);
        })?;
    let told = promise.and_then(Promise::kept);
    let watch = Watch::begin(running.handle(), told, &folder, &request.forbidden, boards, request.patience);
    let ended = running.wait();
    let mut seen = watch.end();
    add_end(&mut record, &ended);
    record.not_checked.append(&mut seen.not_checked);
    let mut proof = Proof::of(request, record, harness.told(), seen);
    proof.device_files = device_files.iter().map(|file| file.display().to_string()).collect();
    proof.cards = boards.iter().map(|board| board.card.to_string()).collect();
    judgement::judge(&mut proof);
    Ok(proof)
}

fn boards(listing: &CardAnswer<Listing>) -> &[CardState] {
    match listing.answer() {
        Some(Listing::Cards { boards, .. }) => boards,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::document::Proof;
    use crate::runtime::document::Document;
    use std::path::Path;

    #[test]
    fn the_committed_schema_is_fresh() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gpulint-proof.schema.json");
        if std::env::var_os("GPULINT_UPDATE").is_some() {
            std::fs::write(&file, Proof::schema_text()).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == Proof::schema_text(),
            "gpulint-proof.schema.json is not what the types say; run `GPULINT_UPDATE=1 cargo test --lib proof` and commit it"
        );
    }
}
