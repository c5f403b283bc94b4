//! `gpulint report merge`: the validations of many machines, in one verdict and one page.

use super::ignoring_closed_pipe;
use super::outputs::{self, Output};
use crate::runtime::fleet::MOST_BYTES;
use crate::runtime::fleet::merge::Merge;
use crate::runtime::fleet::pages::render;
use crate::runtime::validation::pages::Format;
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub enum Command {
    /// Merge the JSON reports of `gpulint validate` on several machines into one verdict and one page.
    Merge(Arguments),
}

#[derive(Args)]
pub struct Arguments {
    /// JSON reports of `gpulint validate`; a folder stands for all files below it whose names end with `.json`.
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// Approve nothing unless there are reports of at least so many different cards; a report without a card counts as one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    expect: Option<u64>,
    /// Output format on standard output.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Also write it to a file, such as markdown=fleet.md; can be repeated.
    #[arg(long, value_name = "FORMAT=FILE")]
    output: Vec<Output<Format>>,
}

pub fn run(command: &Command, out: &mut dyn Write) -> anyhow::Result<u8> {
    let Command::Merge(arguments) = command;
    outputs::distinct(&arguments.output)?;
    let mut merge = Merge::default();
    // One at a time: what is kept of a report is short, and a report need not be.
    for file in files(&arguments.reports)? {
        add(&file, &mut merge)?;
    }
    let fleet = merge.end(arguments.expect)?;
    for output in &arguments.output {
        let page = render(&fleet, output.format())?;
        fs::write(output.file(), page)
            .with_context(|| format!("cannot write the report {}", output.file().display()))?;
    }
    ignoring_closed_pipe(out.write_all(render(&fleet, arguments.format)?.as_bytes()))?;
    Ok(fleet.exit_code.try_into().unwrap_or(u8::MAX))
}

/// The named files, and for folders what lies in them.
fn files(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        let metadata =
            fs::metadata(path).with_context(|| format!("cannot read the report {}", path.display()))?;
        if !metadata.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        add_files_below(path, &mut files)?;
        if files.len() == before {
            bail!("the folder {} holds no file whose name ends with `.json`", path.display());
        }
    }
    Ok(files)
}

/// Links to folders are not followed: they may lead in a circle.
fn add_files_below(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let unreadable = || format!("cannot read the folder {}", folder.display());
    let mut entries =
        fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).with_context(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().with_context(unreadable)?);
        if kind.is_dir() {
            add_files_below(&path, files)?;
        } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")) {
            files.push(path);
        }
    }
    Ok(())
}

/// A report that is there and says nothing is a machine of which nothing is known; one that cannot be opened is a wrong name.
fn add(file: &Path, merge: &mut Merge) -> anyhow::Result<()> {
    let name = file.display().to_string();
    let opened = File::open(file).with_context(|| format!("cannot read the report {name}"))?;
    let mut text = Vec::new();
    match opened.take(MOST_BYTES + 1).read_to_end(&mut text) {
        Ok(_) if text.len() as u64 > MOST_BYTES => {
            merge.add_unreadable(&name, format!("it is longer than {} MiB", MOST_BYTES >> 20));
        }
        Ok(_) => merge.add(&name, &text),
        Err(error) => merge.add_unreadable(&name, error.to_string()),
    }
    Ok(())
}
