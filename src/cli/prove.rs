//! `gpulint prove --cpu -- CMD`: the proof that a command does without the GPU.

use super::exec::{GRACE, time};
use super::options::{PolicyOptions, SimulatedOptions};
use super::outputs::Form;
use super::{ignoring_closed_pipe, say, settings_of};
use crate::policy::Cpu;
use crate::runtime::document::Document;
use crate::runtime::process::Limits;
use crate::runtime::proof::document::Proof;
use crate::runtime::proof::{Request, run as prove, text};
use anyhow::Context;
use clap::Args;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct Arguments {
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
    /// Prove that the command does without the GPU.
    #[arg(long, required = true)]
    cpu: bool,
    /// Hide the GPUs from the command as well: it must end well without them.
    #[arg(long)]
    strict: bool,
    /// A module that must not be imported, with all that lies below it; can be repeated. Without it, those of the policy's
    /// `cpu.forbidden-imports`, or cupy, torch and numba.cuda.
    #[arg(long, value_name = "MODULE")]
    forbid: Vec<String>,
    /// Output format: for people, or for programs.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    format: Form,
    /// Also write the JSON document to this file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// End the command after this time, such as `90s`, `15m` or `2h`; then it is rejected.
    #[arg(long, value_name = "TIME", value_parser = time)]
    timeout: Option<Duration>,
    /// Pass this GitHub Actions variable to the command, which otherwise does not get it; can be repeated.
    #[arg(long, value_name = "NAME")]
    keep_env: Vec<String>,
    /// Timeout for an answer of the driver.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30s")]
    driver_timeout: Duration,
    /// End the command, too, when somebody asks this process to end: nobody else looks after it.
    #[arg(long, hide = true)]
    worker: bool,
    #[command(flatten)]
    simulated: SimulatedOptions,
    #[command(flatten)]
    policy: PolicyOptions,
}

pub fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<u8> {
    let forbidden = if arguments.forbid.is_empty() {
        let (settings, _) = settings_of(&arguments.policy.clone().request(Vec::new()))?;
        let cpu = settings.policy.cpu.unwrap_or_else(Cpu::default_for_mode);
        cpu.forbidden_imports.iter().map(|module| module.as_str().to_owned()).collect()
    } else {
        arguments.forbid.clone()
    };
    let request = Request {
        command: &arguments.command,
        forbidden,
        strict: arguments.strict,
        limits: Limits { time: arguments.timeout, grace: GRACE, ends_when_asked: arguments.worker },
        keep_env: &arguments.keep_env,
        allows_simulated: arguments.simulated.allow_simulated,
        patience: arguments.driver_timeout,
    };
    let (proof, refusal) = match prove(&request) {
        Ok(proof) => (proof, None),
        Err(refusal) => (Proof::refused(&request, &refusal), Some(refusal)),
    };
    if let Some(file) = &arguments.record {
        proof.write(file).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    if let Some(refusal) = refusal {
        say(format_args!("error: {refusal}"));
        return Ok(refusal.exit_code().try_into().unwrap_or(u8::MAX));
    }
    // Who started the worker reads the record; what it prints is what its command said.
    if arguments.worker {
        return Ok(proof.exit_code.try_into().unwrap_or(u8::MAX));
    }
    let page = match arguments.format {
        Form::Text => text(&proof),
        Form::Json => proof.to_json()?,
    };
    ignoring_closed_pipe(out.write_all(page.as_bytes()))?;
    Ok(proof.exit_code.try_into().unwrap_or(u8::MAX))
}
