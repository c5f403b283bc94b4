//! `gpulint compare`: whether head is as fast as base, with the same outputs.

use super::exec::{GRACE, HideCards, time};
use super::options::{PolicyOptions, SimulatedOptions};
use super::outputs::Form;
use super::{ignoring_closed_pipe, say, settings_of};
use crate::changes::{Checkout, ComparisonRequest, first_change};
use crate::policy::Mode;
use crate::runtime::compare::decision::{FIRST_LOOK, MOST_PAIRS, Rule};
use crate::runtime::compare::{Message, Request, Scratch, Side, run as compared, text};
use crate::runtime::document::Document;
use crate::runtime::process::Limits;
use crate::runtime::slot::slot_folder;
use anyhow::{Context, bail};
use clap::Args;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

#[derive(Args)]
pub struct Arguments {
    /// The command, which runs at base and at head; without `--base` two commands, with a `--` between them.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
    /// The commit, branch or tag to compare with.
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The commit, branch or tag that is compared. Without it HEAD, which the files must be as in.
    #[arg(long, value_name = "REF", requires = "base")]
    head: Option<String>,
    /// A file that the command writes and that must be equal, from the folder in which it runs; can be repeated.
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Let numbers in outputs differ by this part of the larger one, such as `1e-6`.
    #[arg(long, value_name = "PART", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Do not compare what the commands print.
    #[arg(long)]
    ignore_stdout: bool,
    /// The part of base's speed that head may lose.
    #[arg(long, value_name = "PERCENT", value_parser = margin, default_value = "2%")]
    margin: f64,
    /// Head may not be faster by more than the margin, either.
    #[arg(long)]
    symmetric: bool,
    /// At most so many pairs of runs, 10 or more.
    #[arg(long, value_name = "N", value_parser = pairs, default_value = "80")]
    pairs: usize,
    /// End a run after this time, such as `90s`, `15m` or `2h`.
    #[arg(long, value_name = "TIME", value_parser = time)]
    timeout: Option<Duration>,
    /// Give up if the GPU is not free after this time, with exit code 6. Without it, wait without a limit.
    #[arg(long, value_name = "TIME", value_parser = time)]
    slot_timeout: Option<Duration>,
    /// The folder with the locks of this machine's GPUs, shared by all its users.
    #[arg(long, value_name = "FOLDER")]
    slot_folder: Option<PathBuf>,
    /// Output format: for people, or for programs.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    format: Form,
    /// Also write the JSON document to this file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The number that the order of the runs follows from; by default another one each time.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Pass this GitHub Actions variable to the commands, which otherwise do not get it; can be repeated.
    #[arg(long, value_name = "NAME")]
    keep_env: Vec<String>,
    /// Whether the other cards are kept out of the commands' reach.
    #[arg(long, value_enum, default_value_t, value_name = "auto|never", hide_possible_values = true)]
    hide_cards: HideCards,
    /// Timeout for an answer of the driver.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30s")]
    driver_timeout: Duration,
    #[command(flatten)]
    simulated: SimulatedOptions,
    #[command(flatten)]
    policy: PolicyOptions,
}

pub fn run(arguments: &Arguments, out: &mut impl Write) -> anyhow::Result<u8> {
    let (settings, _) = settings_of(&arguments.policy.clone().request(Vec::new()))?;
    let scratch = Scratch::new().context("there is no place for temporary files")?;
    // They are gone before the folder that they lie in.
    let (base, head, _checkouts) = sides(arguments, scratch.path())?;
    let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let request = Request {
        base,
        head,
        // A block of four runs gives two pairs.
        rule: Rule {
            margin: arguments.margin,
            symmetric: arguments.symmetric,
            pairs: arguments.pairs.next_multiple_of(2),
        },
        files: &arguments.file,
        tolerance: arguments.tolerance,
        ignores_stdout: arguments.ignore_stdout,
        seed: arguments.seed.unwrap_or(moment.as_nanos() as u64),
        gpu: settings.policy.gpu.as_ref(),
        mode: settings.mode.unwrap_or(Mode::Gpu),
        limits: Limits { time: arguments.timeout, grace: GRACE, ends_when_asked: true },
        slot_timeout: arguments.slot_timeout,
        slot_folder: slot_folder(arguments.slot_folder.clone()),
        keep_env: &arguments.keep_env,
        hides_cards: arguments.hide_cards == HideCards::Auto,
        allows_simulated: arguments.simulated.allow_simulated,
        patience: arguments.driver_timeout,
    };
    let mut waits = false;
    let (comparison, refusal) = compared(&request, &scratch, &mut |message| match message {
        // Who else waits, and for how long, `gpulint exec` tells.
        Message::Waiting(card, progress) if !std::mem::replace(&mut waits, true) => {
            say(format_args!("waiting for {card}: {progress}"));
        }
        Message::Waiting(..) => {}
        Message::Looked(told, most) => {
            let pairs = told.timing.map(|timing| timing.estimate.pairs).unwrap_or_default();
            let ratio = told.timing.and_then(|timing| timing.estimate.ratio).unwrap_or(1.0);
            say(format_args!("{pairs} pairs of at most {most}: head takes {ratio:.4} of base's time"));
        }
    });
    if let Some(file) = &arguments.record {
        comparison.write(file).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    let code = comparison.exit_code.try_into().unwrap_or(u8::MAX);
    if let Some(refusal) = refusal {
        say(format_args!("error: {refusal}"));
        return Ok(code);
    }
    let page = match arguments.format {
        Form::Text => text(&comparison),
        Form::Json => comparison.to_json()?,
    };
    ignoring_closed_pipe(out.write_all(page.as_bytes()))?;
    Ok(code)
}

/// Both sides, and what they run in as long as it is kept.
fn sides(arguments: &Arguments, scratch: &Path) -> anyhow::Result<(Side, Side, Vec<Checkout>)> {
    let here = std::env::current_dir().context("the current folder cannot be read")?;
    let Some(base) = &arguments.base else {
        let mut words = arguments.command.splitn(2, |word| word == "--");
        let (base, head) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if base.is_empty() || head.is_empty() {
            bail!("without `--base REF` two commands are compared: `gpulint compare -- BASE … -- HEAD …`");
        }
        let side = |command: &[OsString]| Side {
            command: command.to_vec(),
            folder: here.clone(),
            reference: None,
            commit: None,
        };
        return Ok((side(base), side(head), Vec::new()));
    };
    if arguments.head.is_none()
        && let Some(file) = first_change(&here)?
    {
        bail!(
            "{} is not as in HEAD, which is what would be compared: commit it, or name what is meant with `--head REF`",
            file.display()
        );
    }
    let head = arguments.head.as_deref().unwrap_or("HEAD");
    let mut checkouts = Vec::new();
    let mut side = |option, reference: &str| {
        let asked = ComparisonRequest { option, reference: reference.to_owned() };
        let checkout = Checkout::of(&here, &asked, &scratch.join(option.trim_start_matches('-')))?;
        let side = Side {
            command: arguments.command.clone(),
            folder: checkout.below.clone(),
            reference: Some(reference.to_owned()),
            commit: Some(checkout.commit.clone()),
        };
        checkouts.push(checkout);
        anyhow::Ok(side)
    };
    let (base, head) = (side("--base", base)?, side("--head", head)?);
    Ok((base, head, checkouts))
}

/// `2%` or `0.5%`; a number alone is a part: `0.02`.
fn margin(text: &str) -> Result<f64, String> {
    let (number, unit) =
        text.trim().strip_suffix('%').map_or((text.trim(), 1.0), |number| (number.trim(), 100.0));
    let part = number.parse::<f64>().ok().map(|number| number / unit);
    let is_one = |part: &f64| *part > 0.0 && *part < 1.0;
    part.filter(is_one).ok_or_else(|| format!("`{text}` is no part of the speed such as 2%"))
}

fn pairs(text: &str) -> Result<usize, String> {
    let known = text.parse::<usize>().ok().filter(|pairs| (FIRST_LOOK..=MOST_PAIRS).contains(pairs));
    known.ok_or_else(|| {
        format!("fewer than {FIRST_LOOK} pairs show nothing, and at most {MOST_PAIRS} are run")
    })
}

fn tolerance(text: &str) -> Result<f64, String> {
    let known = text.parse::<f64>().ok().filter(|part| *part >= 0.0 && *part < 1.0);
    known.ok_or_else(|| format!("`{text}` is no part such as 1e-6"))
}
