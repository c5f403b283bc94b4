//! `gpulint validate`: checks on the machine's card and the project's programs, and a verdict.

mod interruption;
mod progress;
mod reports;
mod state;

use super::exec::{HideCards, time};
use super::options::{PolicyOptions, SimulatedOptions};
use super::outputs::{self, Output};
use super::{ignoring_closed_pipe, say, settings_of};
use crate::disk::absolute;
use crate::runtime::exec::board;
use crate::runtime::slot::slot_folder;
use crate::runtime::validation::document::{Validation, Verdict};
use crate::runtime::validation::pages::{Format, render};
use crate::runtime::validation::plan::{Burn, Plan, Profile, Wanted};
use crate::runtime::validation::schedule::{Outside, Request, run as run_checks};
use crate::runtime::validation::speeds::remember;
use crate::runtime::validation::workers::Workers;
use crate::settings::Settings;
use crate::sources::Digest;
use anyhow::Context;
use clap::Args;
use interruption::Interruption;
use progress::Lines;
use reports::Reports;
use state::Place;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Somebody wanted the end of it: 128 and the signal of Ctrl-C.
const INTERRUPTED: u8 = 130;

#[derive(Args)]
pub struct Arguments {
    /// Put the card through this load: `leak` (does memory come back?) or `burn` (is it right and quick when full?); may be
    /// repeated. Without it, `leak` where the policy is about a GPU.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "leak|burn", hide_possible_values = true)]
    profile: Vec<Profile>,
    /// Run so many checks at once; those that use the card still take turns. Without it, the policy's `runtime.jobs`, or one for
    /// each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Go on where the last validation was interrupted: its finished checks are not run again if it was asked for the same.
    #[arg(long)]
    resume: bool,
    /// Output format on standard output.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Also write it to a file, such as markdown=report.md; can be repeated.
    #[arg(long, value_name = "FORMAT=FILE")]
    output: Vec<Output<Format>>,
    /// Write the plots, as SVG files, into this folder.
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Number of measured iterations of `leak`; without it, the policy's `runtime.iterations`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    iterations: Option<u32>,
    /// Rows of the matrices of the profile `leak`.
    #[arg(long, value_name = "N", default_value_t = 1000, hide = true)]
    side: u32,
    /// How long `burn` lasts, such as `90s` or `2h`.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30s")]
    burn_time: Duration,
    /// The share of the GPU's free memory that `burn` uses.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100), default_value_t = 90)]
    burn_memory: u8,
    /// Rows of the matrices of the profile `burn`, at most.
    #[arg(long, value_name = "N", default_value_t = 8192, hide = true)]
    burn_side: u32,
    /// End a check, or one turn of a program, after this time.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "15m")]
    timeout: Duration,
    /// End the whole validation after this time; unfinished checks have no result.
    #[arg(long, value_name = "TIME", value_parser = time)]
    total_timeout: Option<Duration>,
    /// Give up on a check that has waited for the GPU this long.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "1h")]
    slot_timeout: Duration,
    /// Hand on this variable of a job of GitHub Actions to what runs, as for `gpulint exec`; may be repeated.
    #[arg(long, value_name = "NAME")]
    keep_env: Vec<String>,
    /// Whether other cards are kept out of the reach of what runs on this one, where the system has a way to it.
    #[arg(long, value_enum, default_value_t, value_name = "auto|never", hide_possible_values = true)]
    hide_cards: HideCards,
    /// The folder of the slots: the locks with which all users of this machine take turns on its cards.
    #[arg(long, value_name = "FOLDER")]
    slot_folder: Option<PathBuf>,
    /// Where to keep what is known so far, for --resume, and how fast the cards were in earlier validations; without it, a
    /// folder of this user.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Timeout for an answer of the driver.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30s")]
    driver_timeout: Duration,
    #[command(flatten)]
    simulated: SimulatedOptions,
    #[command(flatten)]
    policy: PolicyOptions,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<u8> {
    outputs::distinct(&arguments.output)?;
    let (settings, _) = settings_of(&arguments.policy.clone().request(Vec::new()))?;
    let plan = Plan::of(&settings.policy, &wanted(arguments))?;
    let interruption = Interruption::listen()?;
    let needs_card = plan.checks.iter().any(|check| check.work.kind().uses_card());
    let allows_simulated = arguments.simulated.allow_simulated;
    let slots = slot_folder(arguments.slot_folder.clone());
    let choice = needs_card
        .then(|| board(settings.policy.gpu.as_ref(), &slots, allows_simulated, arguments.driver_timeout));
    // Each check looks for its card anew, and all must be about the same.
    let is_one_of_several = matches!(&choice, Some(Ok(choice)) if choice.is_one_of_several);
    // And another validation that begins now gets another card, also while no check of this one holds the slot.
    let mut _reservation = None;
    let board = choice.map(|choice| {
        choice.map(|choice| {
            _reservation = choice.reservation;
            choice.board
        })
    });
    let card = board.as_ref().and_then(|board| Some(board.as_ref().ok()?.card.clone()));
    let place = Place::of(arguments.state.as_deref(), settings.base(), board.as_ref())?;
    let jobs = jobs(arguments, &settings, &plan);
    let mut document = Validation::begun(&plan, jobs);
    // What its checks come to is decided by it.
    document.policy = Some(Digest::of(&serde_json::to_string(&settings.policy)?).to_string());
    if allows_simulated {
        // What was allowed then is not taken over where it is not.
        document.plan += "; simulated cards are allowed";
    }
    document.card = card;
    if arguments.resume {
        match resumed(&mut document, &place) {
            Ok(taken) => say(format_args!("note: {taken} of {} checks are taken over", plan.checks.len())),
            Err(why) => say(format_args!("note: nothing is taken over: {why}")),
        }
    }
    let request = Request {
        plan: &plan,
        policy: &settings.policy,
        workers: workers(arguments, &settings, &place, is_one_of_several)?,
        jobs: jobs as usize,
        board,
        history: place.history(arguments.state.is_some()),
        until: arguments.total_timeout.and_then(|time| Instant::now().checked_add(time)),
        interrupted: &interruption.asked,
        impatient: &interruption.asked_again,
    };
    let reports = Reports { outputs: &arguments.output, plots: arguments.plots.as_deref() };
    reports.begin(&document)?;
    let began = Instant::now();
    let mut lines = Lines::new(&document);
    let mut outside = Outside {
        write: &mut |document| {
            // Whoever interrupted it may soon do it again, without patience.
            if document.verdict == Verdict::Interrupted {
                reports.write(document);
            }
            place.write(document)
        },
        tell: &mut |message| lines.tell(&message),
    };
    let written = || format!("cannot keep the state of the validation in {}", place.folder().display());
    let ran = run_checks(&request, &mut document, &mut outside).with_context(written);
    lines.end();
    document.wall_seconds = Some(began.elapsed().as_secs_f64());
    match &ran {
        Ok(true) => {
            document.conclude();
            if let Some(Err(fault)) = request.history.as_ref().map(|folder| remember(&document, folder)) {
                say(format_args!("note: {fault}"));
            }
        }
        Ok(false) => {}
        Err(fault) => document.abandon(&format!("{fault:#}")),
    }
    let kept = place.write(&document).with_context(written);
    let failed = reports.write(&document);
    ignoring_closed_pipe(out.write_all(render(&document, arguments.format)?.as_bytes()))?;
    let has_ended = ran?;
    kept?;
    if !has_ended {
        say("interrupted; gpulint validate --resume goes on where it was");
        return Ok(INTERRUPTED);
    }
    let code = document.verdict.exit_code().try_into().unwrap_or(u8::MAX);
    // An approval that nobody can read is none.
    Ok(if failed == 0 || code > 1 { code } else { super::UNUSABLE })
}

fn wanted(arguments: &Arguments) -> Wanted {
    let share = f64::from(arguments.burn_memory) / 100.0;
    Wanted {
        profiles: arguments.profile.clone(),
        iterations: arguments.iterations,
        side: arguments.side,
        burn: Burn { time: arguments.burn_time, share, side: arguments.burn_side },
    }
}

fn jobs(arguments: &Arguments, settings: &Settings, plan: &Plan) -> u32 {
    let processors = || std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
    let asked = arguments.jobs.or(settings.policy.runtime.jobs.map(|jobs| jobs.get()));
    asked.unwrap_or_else(processors).min(plan.checks.len() as u32).max(1)
}

fn workers(
    arguments: &Arguments,
    settings: &Settings,
    place: &Place,
    names_card: bool,
) -> anyhow::Result<Workers> {
    let seconds = |time: Duration| OsString::from(time.as_secs_f64().to_string());
    // Workers run in the folder of the policy, which need not be this one.
    let slots = absolute(&slot_folder(arguments.slot_folder.clone())).into_os_string();
    let both =
        [("--timeout", seconds(arguments.timeout)), ("--driver-timeout", seconds(arguments.driver_timeout))];
    let exec = [
        ("--slot-timeout", seconds(arguments.slot_timeout)),
        ("--slot-folder", slots),
        ("--hide-cards", arguments.hide_cards.word().into()),
    ];
    let simulated = arguments.simulated.allow_simulated.then(|| OsString::from("--allow-simulated"));
    let kept = arguments.keep_env.iter().map(|name| ("--keep-env", OsString::from(name)));
    let words = |(name, value): (&str, OsString)| [name.into(), value];
    let both: Vec<OsString> = both.into_iter().chain(kept).flat_map(words).chain(simulated).collect();
    Ok(Workers {
        program: std::env::current_exe().context("cannot find this program")?,
        project: settings.base().to_owned(),
        folder: place.folder().to_owned(),
        policy: arguments.policy.words(),
        exec: exec.into_iter().flat_map(words).chain(both.iter().cloned()).collect(),
        prove: both,
        names_card,
    })
}

fn resumed(document: &mut Validation, place: &Place) -> Result<usize, String> {
    let earlier = place.read().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no earlier one".to_owned(),
        _ => format!("{} cannot be read: {error}", place.document().display()),
    })?;
    document.resume(earlier)
}
