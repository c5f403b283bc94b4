//! `gpulint map`: everything in a project that touches a GPU, and which card each program takes.

mod since;

use super::options::PolicyOptions;
use super::{ignoring_closed_pipe, settings_of};
use crate::disk::absolute;
use crate::map::{self, Machine, Map, Marks, Question};
use crate::masks;
use crate::policy::DeviceOrder;
use crate::report::commands::{Form, harmless};
use crate::rules::Loaded;
use crate::settings::Settings;
use crate::sources::Sources;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// Files and folders to map.
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Output format: text, markdown, json, html or dot. On a terminal and with --programs text, else markdown.
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FORMAT")]
    format: Option<MapFormat>,
    /// Say only which card each program takes, what decides that, and what comes too late for it.
    #[arg(long)]
    programs: bool,
    /// Say which programs change their card, or fail, where CUDA_VISIBLE_DEVICES has this value when they are started.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, value_parser = mask)]
    mask: Option<String>,
    /// The same for CUDA_DEVICE_ORDER: PCI_BUS_ID or FASTEST_FIRST.
    #[arg(long, value_parser = order, value_name = "ORDER")]
    order: Option<DeviceOrder>,
    /// The cards that there are: a report of `gpulint doctor --format json`, or how many. By default what the policy says.
    #[arg(long, value_name = "FILE|COUNT")]
    machine: Option<PathBuf>,
    /// Say only what changed since REF, as in --since of check: programs that take another card, and modules whose import
    /// loads a GPU library and did not.
    #[arg(long, value_name = "REF", conflicts_with_all = ["programs", "mask", "order"])]
    since: Option<String>,
    #[command(flatten)]
    policy: PolicyOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MapFormat {
    /// Tables for a terminal.
    Text,
    /// Tables, for the summary of a job or a page.
    Markdown,
    /// One JSON object, for programs.
    Json,
    /// One page that needs nothing else.
    Html,
    /// A graph for Graphviz.
    Dot,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (mut settings, extent) = settings_of(&arguments.policy.clone().request(arguments.paths.clone()))?;
    let excluded = settings.excluded(false);
    let sources = Sources::collect_except(&settings.root, &arguments.paths, extent, &excluded)?;
    let mut sources = sources.within(settings.disk.bounds());
    settings.find_others(&sources)?;
    settings.leave_out(&mut sources, &arguments.paths, false);
    let rules = Loaded::of(&settings)?;
    let machine = arguments.machine.as_deref().map(|named| machine(named, &settings)).transpose()?;
    let mask = arguments.mask.iter().map(|mask| ("CUDA_VISIBLE_DEVICES".to_owned(), mask.clone()));
    let order = arguments.order.map(|order| ("CUDA_DEVICE_ORDER".to_owned(), order.as_str().to_owned()));
    let question = Question { machine, given: mask.chain(order).collect() };
    let mut whole = Vec::new();
    if let Some(reference) = &arguments.since {
        let form = since::write(arguments, reference, (&settings, &question), sources, &mut whole)?;
        return printed(&whole, form, out);
    }
    let map = Map::of(&sources, &settings, &rules, &question)?;
    let form = match (arguments.format(), arguments.programs) {
        (MapFormat::Text, true) => {
            map::write_table(&map, &mut whole)?;
            Form::Plain
        }
        (MapFormat::Text, false) => {
            map::tables::write(&map, Marks::Plain, &mut whole)?;
            Form::Plain
        }
        (MapFormat::Markdown, false) => {
            map::tables::write(&map, Marks::Markdown, &mut whole)?;
            Form::Markup
        }
        (MapFormat::Markdown, true) => {
            map::tables::write_programs(&map, Marks::Markdown, &mut whole)?;
            Form::Markup
        }
        (MapFormat::Html, programs_first) => {
            map::html::write(&map, &sources, programs_first, &mut whole)?;
            Form::Markup
        }
        (MapFormat::Dot, true) => bail!("--format dot draws modules; leave --programs out"),
        (MapFormat::Dot, false) => {
            map::dot::write(&map, &mut whole)?;
            Form::Plain
        }
        (MapFormat::Json, is_short) => {
            map::json::write(&map, is_short, &mut whole)?;
            Form::Json
        }
    };
    printed(&whole, form, out)
}

fn printed(whole: &[u8], form: Form, out: &mut dyn Write) -> anyhow::Result<u8> {
    ignoring_closed_pipe(out.write_all(harmless(&String::from_utf8_lossy(whole), form).as_bytes()))?;
    Ok(0)
}

impl Arguments {
    fn format(&self) -> MapFormat {
        self.format.unwrap_or_else(|| match self.programs || io::stdout().is_terminal() {
            true => MapFormat::Text,
            false => MapFormat::Markdown,
        })
    }
}

/// A value that selects cards, or hides them on purpose.
fn mask(text: &str) -> Result<String, String> {
    let read = masks::read(text);
    match read.fault {
        None => Ok(text.to_owned()),
        Some(masks::Fault::Repeated) => Err("it names a card twice, which hides all".to_owned()),
        Some(_) => Err("it is no list of indices or UUIDs, such as `0`, `0,2` or `GPU-4f2d…`".to_owned()),
    }
}

fn order(text: &str) -> Result<DeviceOrder, String> {
    let orders = [DeviceOrder::PciBusId, DeviceOrder::FastestFirst];
    let found = orders.into_iter().find(|order| order.as_str().eq_ignore_ascii_case(text));
    found.ok_or_else(|| "CUDA knows PCI_BUS_ID and FASTEST_FIRST".to_owned())
}

/// More bytes no report of doctor has.
const MOST_BYTES: u64 = 4 << 20;

fn machine(named: &Path, settings: &Settings) -> anyhow::Result<Machine> {
    let count = named.to_str().and_then(|text| text.parse::<usize>().ok());
    let machine = match count {
        Some(count) => Machine::of_count(count),
        None => {
            let bounds = settings.disk.bounds().and([named]);
            let bytes = bounds.read(&absolute(named), MOST_BYTES);
            let bytes = bytes.with_context(|| format!("--machine: cannot read {}", named.display()))?;
            Machine::of_report(&String::from_utf8_lossy(&bytes))
        }
    };
    match machine {
        Ok(machine) => Ok(machine.under(&settings.policy)),
        Err(error) => bail!("--machine {}: {error}", named.display()),
    }
}
