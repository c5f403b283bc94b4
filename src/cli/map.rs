//! `gpulint map`: everything in a project that touches a GPU, and which card each program takes.

use super::options::PolicyOptions;
use super::{ignoring_closed_pipe, settings_of};
use crate::map::{self, Machine, Map, Question};
use crate::masks;
use crate::policy::{DeviceOrder, absolute};
use crate::report::commands::{Form, harmless};
use crate::rules::Loaded;
use crate::settings::Settings;
use crate::sources::Sources;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Arguments {
    /// Files and folders to map.
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Output format: markdown, json, html or dot. With --programs a table for the terminal, when no format is named.
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
    #[command(flatten)]
    policy: PolicyOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MapFormat {
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
    let map = Map::of(&sources, &settings, &rules, &question)?;
    let mut whole = Vec::new();
    let form = match (arguments.format, arguments.programs) {
        (None, true) => {
            map::write_table(&map, &mut whole)?;
            Form::Plain
        }
        (None | Some(MapFormat::Markdown), false) => {
            map::markdown::write(&map, &mut whole)?;
            Form::Markup
        }
        (Some(MapFormat::Markdown), true) => {
            map::markdown::write_programs(&map, &mut whole)?;
            Form::Markup
        }
        (Some(MapFormat::Html), programs_first) => {
            map::html::write(&map, &sources, programs_first, &mut whole)?;
            Form::Markup
        }
        (Some(MapFormat::Dot), true) => bail!("--format dot draws modules; leave --programs out"),
        (Some(MapFormat::Dot), false) => {
            map::dot::write(&map, &mut whole)?;
            Form::Plain
        }
        (Some(MapFormat::Json), is_short) => {
            map::json::write(&map, is_short, &mut whole)?;
            Form::Json
        }
    };
    ignoring_closed_pipe(out.write_all(harmless(&String::from_utf8_lossy(&whole), form).as_bytes()))?;
    Ok(0)
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
