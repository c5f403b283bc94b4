//! A command without any GPU (`--mode cpu`): the variable that it is given hides every card, their device files cannot be
//! opened where the system allows that, and no slot is waited for. Whether it would have used one is not proven by this.

use super::faults::not_asked;
use super::run::{ReportFile, State, add_end, change, changes};
use super::withheld::WithheldVariables;
use super::{Message, Outputs, Refusal, Request, reach, said, started, with_report};
use crate::runtime::driver::Answer;
use crate::runtime::machine::{self, CardAnswer};
use crate::runtime::management::Listing;
use crate::runtime::prevention::{Prevention, device_folder, files_of_cards};
use crate::runtime::process::HiddenFiles;
use crate::runtime::record::{NotChecked, Report};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// Shows a program no card. The empty text says the same, but Windows has no empty variables.
pub(crate) const NO_CARD: (&str, &str) = ("CUDA_VISIBLE_DEVICES", "-1");

pub(super) fn attempt(
    request: &Request<'_>,
    outputs: &Outputs,
    state: &Mutex<State>,
    tell: &mut dyn FnMut(Message<'_>),
) -> Result<i32, Refusal> {
    if outputs.max_memory.is_some() {
        let why = "`--max-memory` is about the memory of a GPU, and with `--mode cpu` the command gets none";
        return Err(Refusal::Usage(why.to_owned()));
    }
    let environment = vec![(NO_CARD.0, NO_CARD.1.to_owned())];
    let listing = machine::listing(request.patience).map_err(not_asked)?;
    let simulated = matches!(listing.answer(), Some(Listing::Cards { simulated: true, .. }));
    change(state, |record| record.simulated = simulated);
    if simulated && !request.allows_simulated {
        return Err(Refusal::Simulated);
    }
    let (hiding, prevention) = match request.hides_cards {
        true => {
            let files = files_of_cards(&device_folder(simulated)).into_values().collect();
            prevented_for_cpu(&environment, files, request.patience)
        }
        false => (None, Prevention::NotPossible { why: reach::NOT_WANTED.to_owned() }),
    };
    let withheld = WithheldVariables::of_process(request.keep_env);
    change(state, |record| {
        record.environment = changes(&environment, &withheld);
        record.kept_environment.clone_from(&withheld.kept);
        record.prevention = Some(prevention.clone());
        if let Prevention::NotPossible { why } = &prevention {
            let what = "whether the command used a GPU by setting CUDA_VISIBLE_DEVICES anew".to_owned();
            record.not_checked.push(NotChecked { what, why: why.clone() });
        }
    });
    let report = ReportFile::new();
    let variables = with_report(&environment, report.path());
    let running = started(request.command, request.limits, variables, &withheld, hiding.as_ref(), |_| ())?;
    let ended = running.wait();
    change(state, |record| {
        add_end(record, &ended);
        record.add_report(Report::read(report.path()));
    });
    said::tell_ended(&ended, tell);
    Ok(ended.code)
}

/// What hides all cards from a command with this environment, if the system has a way to it.
pub(crate) fn prevented_for_cpu(
    environment: &[(&'static str, String)],
    files: Vec<PathBuf>,
    patience: Duration,
) -> (Option<HiddenFiles>, Prevention) {
    let is_hidden = |told: &CardAnswer<Answer>| told.cards().is_empty();
    reach::prevented(environment, Ok(files), &is_hidden, patience)
}
