//! `gpulint doctor`: which GPU this process would get, and why.

use super::options::{PolicyOptions, SimulatedOptions};
use super::{CLEAN, ignoring_closed_pipe, say, settings_of};
use crate::policy::Amount;
use crate::runtime::advice::batch::{Fit, ProgramFigures};
use crate::runtime::doctor::{Diagnosis, markdown, text};
use crate::runtime::exec::SIMULATED;
use crate::runtime::machine::PATIENCE;
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::io::Write;
use std::time::Duration;

/// The policy is not met: a wrong, a forbidden or no GPU.
const WRONG_ENVIRONMENT: u8 = 5;

#[derive(Args)]
pub struct Arguments {
    /// Output format: for people, for programs, or for a job summary.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json|markdown")]
    format: Form,
    /// Memory that does not grow with the batch: weights, gradients, optimiser state.
    #[arg(long, value_name = "AMOUNT")]
    model_memory: Option<Amount>,
    /// Peak memory that each sample of a batch adds.
    #[arg(long, value_name = "AMOUNT")]
    sample_memory: Option<Amount>,
    /// A batch size that fits another GPU, to be converted to this one: `32@16GiB`.
    #[arg(long, value_name = "BATCH@AMOUNT", value_parser = fit)]
    batch_that_fits: Option<Fit>,
    /// Timeout for answers of the driver.
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    driver_timeout: u64,
    #[command(flatten)]
    simulated: SimulatedOptions,
    #[command(flatten)]
    policy: PolicyOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    #[default]
    Text,
    Json,
    Markdown,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (settings, _) = settings_of(&arguments.policy.clone().request(Vec::new()))?;
    let known = ProgramFigures {
        model_bytes: arguments.model_memory.map(|amount| amount.bytes),
        sample_bytes: arguments.sample_memory.map(|amount| amount.bytes),
        free_bytes: None,
        fits: arguments.batch_that_fits,
    };
    let patience = Duration::from_secs(arguments.driver_timeout);
    let diagnosis = Diagnosis::of_this_machine(&settings.policy, &known, patience)
        .context("cannot start a process that asks the driver")?;
    let page = match arguments.format {
        Form::Text => text(&diagnosis),
        Form::Json => serde_json::to_string_pretty(&diagnosis)? + "\n",
        Form::Markdown => markdown(&diagnosis),
    };
    ignoring_closed_pipe(out.write_all(page.as_bytes()))?;
    if diagnosis.simulated && !arguments.simulated.allow_simulated {
        say(format_args!("error: {SIMULATED}"));
        return Ok(WRONG_ENVIRONMENT);
    }
    Ok(if diagnosis.is_met() { CLEAN } else { WRONG_ENVIRONMENT })
}

/// `32@16GiB`
fn fit(text: &str) -> Result<Fit, String> {
    let (batch, memory) =
        text.split_once('@').ok_or("a batch and the memory of the card it fits: 32@16GiB")?;
    let batch = batch.trim().parse().map_err(|_| format!("`{batch}` is no size of a batch"))?;
    let memory: Amount = memory.parse()?;
    Ok(Fit { batch, memory: memory.bytes })
}
