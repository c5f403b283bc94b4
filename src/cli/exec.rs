//! `gpulint exec -- CMD`: a command on the card that the policy allows, and on no other.

use super::options::{PolicyOptions, SimulatedOptions};
use super::{say, settings_of};
use crate::policy::{Amount, Mode};
use crate::runtime::cards::Card;
use crate::runtime::exec::{ForeignProcessPolicy, Message, Outputs, Request, Strays, run as run_watched};
use crate::runtime::metrics::Address;
use crate::runtime::process::Limits;
use crate::runtime::slot::{Progress, slot_folder};
use crate::settings::resolve;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// From the request to end until the end without one.
pub(super) const GRACE: Duration = Duration::from_secs(10);

/// Between two lines about the same wait.
const REMINDER: Duration = Duration::from_secs(30);

#[derive(Args)]
pub struct Arguments {
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
    /// End the command after this time, such as `90s`, `15m` or `2h`, with exit code 124.
    #[arg(long, value_name = "TIME", value_parser = time)]
    timeout: Option<Duration>,
    /// Give up if the GPU is not free after this time, with exit code 6. Without it, wait without a limit.
    #[arg(long, value_name = "TIME", value_parser = time)]
    slot_timeout: Option<Duration>,
    /// The folder with the locks of this machine's GPUs, shared by all its users.
    #[arg(long, value_name = "FOLDER")]
    slot_folder: Option<PathBuf>,
    /// What to do while a process without a slot computes on the GPU.
    #[arg(long, value_enum, default_value_t, value_name = "wait|refuse", hide_possible_values = true)]
    foreign: WhenForeign,
    /// What to do when a process of the command is seen on another card: say it, or end the command with exit code 124. Without it,
    /// end it where the policy forbids that card.
    #[arg(long, value_enum, value_name = "warn|fail", hide_possible_values = true)]
    strays: Option<WhenStrays>,
    /// Pass this GitHub Actions variable to the command, which otherwise does not get it: GITHUB_OUTPUT, GITHUB_ENV,
    /// GITHUB_PATH, GITHUB_STATE, GITHUB_STEP_SUMMARY and ACTIONS_…; can be repeated.
    #[arg(long, value_name = "NAME")]
    keep_env: Vec<String>,
    /// Whether the other cards are kept out of the command's reach: their device files cannot be opened, where the system lets
    /// a command have a view of its own of the files.
    #[arg(long, value_enum, default_value_t, value_name = "auto|never", hide_possible_values = true)]
    hide_cards: HideCards,
    /// End the command if it uses more GPU memory than this, with exit code 124.
    #[arg(long, value_name = "AMOUNT")]
    max_memory: Option<Amount>,
    /// Write a JSON record to this file, when the run begins and when it ends.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write metrics to this file, for the textfile collector of Prometheus' node exporter.
    #[arg(long, value_name = "FILE.prom")]
    metrics_file: Option<PathBuf>,
    /// Serve metrics for Prometheus at /metrics while the command runs, on a loopback address.
    #[arg(long, value_name = "127.0.0.1:PORT")]
    metrics_listen: Option<Address>,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum WhenForeign {
    #[default]
    Wait,
    Refuse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhenStrays {
    Warn,
    Fail,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum HideCards {
    #[default]
    Auto,
    Never,
}

impl HideCards {
    /// As it is written.
    pub(super) fn word(self) -> &'static str {
        match self {
            HideCards::Auto => "auto",
            HideCards::Never => "never",
        }
    }
}

pub fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let request = arguments.policy.clone().request(Vec::new());
    // Who starts a worker has said it.
    let (settings, _) = if arguments.worker { resolve(&request)? } else { settings_of(&request)? };
    let limits = Limits { time: arguments.timeout, grace: GRACE, ends_when_asked: arguments.worker };
    let request = Request {
        command: &arguments.command,
        gpu: settings.policy.gpu.as_ref(),
        mode: settings.mode.unwrap_or(Mode::Gpu),
        limits,
        slot_timeout: arguments.slot_timeout,
        slot_folder: slot_folder(arguments.slot_folder.clone()),
        foreign: match arguments.foreign {
            WhenForeign::Wait => ForeignProcessPolicy::Wait,
            WhenForeign::Refuse => ForeignProcessPolicy::Refuse,
        },
        strays: match arguments.strays {
            None => Strays::ByPolicy,
            Some(WhenStrays::Warn) => Strays::Warn,
            Some(WhenStrays::Fail) => Strays::Fail,
        },
        keep_env: &arguments.keep_env,
        hides_cards: arguments.hide_cards == HideCards::Auto,
        allows_simulated: arguments.simulated.allow_simulated,
        patience: arguments.driver_timeout,
    };
    let outputs = Outputs {
        max_memory: arguments.max_memory.map(|amount| amount.bytes),
        record: arguments.record.clone(),
        metrics_file: arguments.metrics_file.clone(),
        metrics_listen: arguments.metrics_listen,
    };
    // Jobs of CI end by a limit of their own at last, which says nothing of a card.
    let without_limit =
        arguments.slot_timeout.is_none() && std::env::var_os("CI").is_some_and(|value| value == "true");
    let mut lines = Waiting { without_limit, ..Waiting::default() };
    let ended = run_watched(&request, &outputs, &mut |message| match message {
        Message::Waiting(card, progress) => lines.tell(card, progress),
        Message::Note(text) => say(format_args!("note: {text}")),
        Message::Error(text) => say(format_args!("error: {text}")),
    });
    let code = ended.unwrap_or_else(|refusal| {
        say(format_args!("error: {refusal}"));
        refusal.exit_code()
    });
    Ok(code.try_into().unwrap_or(u8::MAX))
}

/// Lines about a wait: one when something changes, and now and then one that it has not.
#[derive(Default)]
struct Waiting {
    /// Whether it is still to be said that nothing limits the wait.
    without_limit: bool,
    last: Option<(String, Instant)>,
}

impl Waiting {
    fn tell(&mut self, card: &Card, progress: &Progress) {
        // How long somebody has it changes all the time.
        let key = format!(
            "{:?} {} {:?}",
            progress.foreign,
            progress.ahead,
            progress.holder.as_ref().map(|holder| holder.pid)
        );
        let is_news =
            self.last.as_ref().is_none_or(|(last, when)| *last != key || when.elapsed() >= REMINDER);
        if is_news {
            let waited = progress.waited.as_secs();
            say(format_args!("waiting for {card}, {waited} s so far: {progress}"));
            self.last = Some((key, Instant::now()));
            if std::mem::take(&mut self.without_limit) {
                say("note: nothing limits this wait; `--slot-timeout 10m` does");
            }
        }
    }
}

/// `90s`, `1h 30m`; a number alone counts seconds.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is no time")),
        Err(_) => {
            humantime::parse_duration(text).map_err(|_| format!("`{text}` is no time such as 90s, 15m or 2h"))
        }
    }
}
