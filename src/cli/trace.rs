//! `gpulint trace`: what one program does, in order.

use super::options::PolicyOptions;
use super::{ignoring_closed_pipe, settings_of, why};
use crate::languages::Choices;
use crate::report::commands::{Form, harmless};
use crate::rules::Loaded;
use crate::sources::{FileSelection, Sources};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use std::io::{self, Read, Write};
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// The program or launcher to follow; `-` reads standard input.
    #[arg(required_unless_present = "why")]
    file: Option<PathBuf>,
    /// Output format: for people or for programs.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json")]
    format: TraceFormat,
    /// Say instead what each rule makes of what happens on this line of the file, and why. Without a file, PATH:LINE is
    /// explained over all programs, as `gpulint why` does.
    #[arg(long, value_name = "[PATH:]LINE", conflicts_with = "format")]
    why: Option<String>,
    #[command(flatten)]
    policy: PolicyOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    #[default]
    Text,
    Json,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (file, line) = match (&arguments.file, &arguments.why) {
        (None, why) => return why::answer(why.as_deref().unwrap_or_default(), &arguments.policy, out),
        (Some(file), None) => (file, None),
        (Some(file), Some(line)) => match line.parse::<u32>() {
            Ok(line) => (file, Some(line)),
            Err(_) => bail!(
                "--why: `{line}` is no line of {0}; `gpulint why {line}` tells of all programs",
                file.display()
            ),
        },
    };
    let standard = file.as_os_str() == "-";
    let paths = if standard { vec![] } else { vec![file.clone()] };
    if file.is_dir() {
        bail!("{} is a directory; name the file that is started", file.display());
    }
    let (mut settings, extent) = settings_of(&arguments.policy.clone().request(paths.clone()))?;
    let (sources, id) = if standard {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text).context("cannot read standard input")?;
        let sources = Sources::with_standard_input(&settings.root, None, text, extent);
        let id = sources.files.iter().position(|source| source.path.is_none());
        (sources, id.map(|id| crate::facts::FileId(id as u32)))
    } else {
        // Whoever starts it may lie anywhere in the project. Where there is none, only what is named is read.
        let is_project = matches!(extent, FileSelection::Project);
        let is_inside = is_project && crate::disk::absolute(file).starts_with(&settings.root);
        let all = is_inside.then(|| settings.root.clone()).into_iter().chain(paths);
        let sources = Sources::collect(&settings.root, &all.collect::<Vec<_>>(), extent)?;
        let id = sources.at(file);
        (sources, id)
    };
    let sources = sources.within(settings.disk.bounds());
    settings.find_others(&sources)?;
    let rules = Loaded::of(&settings)?;
    let Some(id) = id else {
        let reason = sources.skipped.first().map_or("could not be read", |skipped| &skipped.reason);
        bail!("{}: {reason}", file.display());
    };
    if let Err(refusal) = crate::languages::lower(sources.file(id), Choices::default()) {
        bail!("{}: {refusal}", file.display());
    }
    let json = arguments.format == TraceFormat::Json;
    let mut whole = Vec::new();
    crate::trace::print(&sources, &settings, id, json, line, &rules, &mut whole)?;
    let form = if json { Form::Json } else { Form::Plain };
    ignoring_closed_pipe(out.write_all(harmless(&String::from_utf8_lossy(&whole), form).as_bytes()))?;
    Ok(0)
}
