//! What the user typed → what the run does → exit code.
//!
//! One file for each command below; this one holds what they share: the options about the policy, the
//! streams, and what an exit code means.

mod check;
#[cfg(feature = "runtime")]
mod compare;
mod crash;
#[cfg(feature = "runtime")]
mod doctor;
#[cfg(feature = "runtime")]
mod exec;
mod init;
mod map;
mod memory;
mod options;
mod outputs;
#[cfg(feature = "runtime")]
mod prove;
#[cfg(feature = "runtime")]
mod report;
mod rules;
mod server;
mod shells;
mod terminals;
mod trace;
mod usage;
#[cfg(feature = "runtime")]
mod validate;
mod why;
#[cfg(feature = "runtime")]
mod work_on_card;

use crate::policy;
use crate::report::commands::{Form, harmless};
use crate::report::printable;
use crate::settings::{Request, Settings, SettingsError, resolve};
use crate::sources::FileSelection;
use anstream::AutoStream;
use clap::{Parser, Subcommand};
use options::Colour;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Nothing that fails the run.
const CLEAN: u8 = 0;
/// Findings at or above the failing severity.
const FOUND: u8 = 1;
/// Bad usage, a bad policy, or nothing that can be read.
const UNUSABLE: u8 = 2;
/// A fault of gpulint itself.
const CRASHED: u8 = 3;

/// Programs of other people may nest deeper than the ordinary stack allows to follow.
const STACK_BYTES: usize = 64 << 20;

/// Tells you which GPU your code will touch, before it touches one.
#[derive(Parser)]
#[command(
    name = "gpulint",
    version,
    propagate_version = false,
    arg_required_else_help = true,
    args_override_self = true,
    after_help = "Begin with `gpulint check`, in the folder of a project; it needs no settings. `gpulint init` writes the \
                  policy, which says which GPU is the right one. `gpulint rule ID` explains a finding."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Whether output is coloured; `auto` means on a terminal where NO_COLOR is not set.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", display_order = 100)]
    color: Colour,
}

#[derive(Subcommand)]
enum Command {
    /// Report where code would use the wrong GPU, or one that it must not use.
    Check(Box<check::Check>),
    /// Map everything that touches a GPU: imports, pins, devices, launchers, and which card each program takes.
    Map(map::Arguments),
    /// Show what a program does to the environment and the GPU, in the order in which it happens.
    Trace(trace::Arguments),
    /// Say why something is reported at a line, or nothing, over all programs and launchers that come to it.
    Why(why::Arguments),
    /// Write a policy, from what is said here, the GPUs of this machine and what the project does, and how to run gpulint.
    Init(init::Arguments),
    /// Say which GPU a program would get here and why, and whether the policy is met.
    #[cfg(feature = "runtime")]
    Doctor(doctor::Arguments),
    /// Run a command on the GPU that the policy allows, alone, and leave nothing of it behind.
    #[cfg(feature = "runtime")]
    Exec(exec::Arguments),
    /// Say whether a command is as fast at head as at base, and puts out the same; or one command as another.
    #[cfg(feature = "runtime")]
    Compare(compare::Arguments),
    /// Prove that a command does without the GPU: no forbidden import, no device, no process on a card.
    #[cfg(feature = "runtime")]
    Prove(prove::Arguments),
    /// Test the GPU of this machine with loads of gpulint's own, run the project's programs on it, and give a verdict.
    #[cfg(feature = "runtime")]
    Validate(validate::Arguments),
    /// Merge the reports of several machines.
    #[cfg(feature = "runtime")]
    #[command(subcommand)]
    Report(report::Command),
    /// Explain a rule, with examples.
    #[command(visible_alias = "explain")]
    Rule(rules::Explain),
    /// List the rules, or test them.
    Rules(rules::List),
    /// Show findings in an editor: a language server on standard input and output.
    Server(server::Arguments),
    /// Print the script with which a shell completes the words of gpulint.
    Completions(shells::Completions),
    /// Print the manual page.
    Man,
    /// Tell what NVML or the CUDA driver shows this process: one line of JSON.
    #[cfg(feature = "runtime")]
    #[command(name = crate::runtime::machine::COMMAND, hide = true)]
    LookAtMachine { library: crate::runtime::machine::Library },
    /// Run a load on the first card of this process, and write down what it measures.
    #[cfg(feature = "runtime")]
    #[command(name = crate::runtime::native::COMMAND, hide = true)]
    WorkOnCard(work_on_card::Arguments),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => {
            let words: Vec<_> = std::env::args_os().skip(1).collect();
            return usage::answered(answer, &words);
        }
    };
    let ended = crash::guarded(|| match cli.command {
        // It reads no program, and is waited for.
        #[cfg(feature = "runtime")]
        Command::LookAtMachine { .. } => run(cli),
        _ => on_large_stacks(|| run(cli)),
    });
    ExitCode::from(ended)
}

fn run(cli: Cli) -> u8 {
    let mut out = BufWriter::new(stdout(cli.color));
    let ended = match cli.command {
        Command::Check(arguments) => check::run(*arguments, cli.color, &mut out),
        Command::Map(arguments) => map::run(&arguments, &mut out),
        Command::Trace(arguments) => trace::run(&arguments, &mut out),
        Command::Why(arguments) => why::run(&arguments, &mut out),
        Command::Init(arguments) => init::run(&arguments, &mut out),
        #[cfg(feature = "runtime")]
        Command::Doctor(arguments) => doctor::run(&arguments, &mut out),
        #[cfg(feature = "runtime")]
        Command::Exec(arguments) => exec::run(&arguments),
        #[cfg(feature = "runtime")]
        Command::Compare(arguments) => compare::run(&arguments, &mut out),
        #[cfg(feature = "runtime")]
        Command::Prove(arguments) => prove::run(&arguments, &mut out),
        #[cfg(feature = "runtime")]
        Command::Validate(arguments) => validate::run(&arguments, &mut out),
        #[cfg(feature = "runtime")]
        Command::Report(command) => report::run(&command, &mut out),
        Command::Rule(arguments) => rules::explain(&arguments, &mut out),
        Command::Rules(arguments) => rules::list(&arguments, &mut out),
        Command::Server(arguments) => Ok(server::run(arguments)),
        Command::Completions(arguments) => shells::completions(&arguments, &mut out),
        Command::Man => shells::manual(&mut out),
        #[cfg(feature = "runtime")]
        Command::LookAtMachine { library } => {
            ignoring_closed_pipe(crate::runtime::machine::tell(library, &mut out)).map(|()| CLEAN)
        }
        #[cfg(feature = "runtime")]
        Command::WorkOnCard(arguments) => work_on_card::run(arguments),
    };
    let flushed = ignoring_closed_pipe(out.flush());
    match ended.and_then(|code| flushed.map(|()| code)) {
        Ok(code) => code,
        Err(error) => {
            say(format_args!("error: {error:#}"));
            UNUSABLE
        }
    }
}

/// Runs `work` where it, and everything that it does in parallel, has room to recurse.
fn on_large_stacks<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        // Not every machine lets a process have so much; most programs are not that deep.
        Err(_) => work(),
    }
}

/// Standard output, from which colours are removed when they are not wanted.
fn stdout(colour: Colour) -> impl Write {
    match colour {
        Colour::Always => AutoStream::always(io::stdout()),
        Colour::Never => AutoStream::never(io::stdout()),
        Colour::Auto => AutoStream::auto(io::stdout()),
    }
}

/// A reader that stops reading, such as `head`, is no fault.
fn ignoring_closed_pipe(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("cannot write to standard output"))
        }
        _ => Ok(()),
    }
}

/// Whether notes about the run are left unsaid.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on only errors are said.
fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// The settings of a run. Whoever reads what comes of them is told, also by a quiet run, when it may be something else on
/// another machine.
fn settings_of(request: &Request) -> Result<(Settings, FileSelection), SettingsError> {
    let (settings, extent) = resolve(request)?;
    let files: Vec<String> = settings.machine_files.iter().map(|file| file.display().to_string()).collect();
    let wins = if settings.policy_file.is_some() { "; keys of the project's policy win" } else { "" };
    if !files.is_empty() {
        say_always(format_args!("note: also uses {}{wins}", files.join(", ")));
    }
    if let Some(file) = &settings.policy_file {
        for other in policy::passed_over(&settings.disk, file) {
            let (other, file) = (other.file_name().unwrap_or_default(), file.file_name().unwrap_or_default());
            say(format_args!(
                "note: the policy in {} is not read, because {} lies beside it",
                other.display(),
                file.display()
            ));
        }
    }
    Ok((settings, extent))
}

/// One line about gpulint itself, for people, on standard error.
fn say(line: impl std::fmt::Display) {
    let line = line.to_string();
    if !IS_QUIET.load(Ordering::Relaxed) || line.starts_with("error: ") {
        say_always(line);
    }
}

/// The same, whether the run is quiet or not.
fn say_always(line: impl std::fmt::Display) {
    // Names of files and words of other people's files may hold escape sequences.
    let line = line.to_string();
    let _ = writeln!(io::stderr(), "{}", harmless(&printable(&line), Form::Plain));
}
