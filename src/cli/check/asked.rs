//! What the words of `gpulint check` ask for: a check, one shard of it, or all its shards merged.

use super::shards::Shards;
use super::{Arguments, run_with};
use crate::cli::options::Colour;
use crate::program::Shard;
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Check {
    #[command(subcommand)]
    merge: Option<Of>,
    /// Files and folders to check; `-` reads standard input. A folder called `merge` is written `./merge`.
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Follow only the Ith of N parts of the project, and write what it came to, for `gpulint check merge`. All parts read all
    /// files.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    arguments: Arguments,
}

/// A check of which others did parts.
#[derive(Subcommand)]
enum Of {
    /// Merge the shards of a check into what one check of the same files reports.
    Merge(Box<Merge>),
}

#[derive(Args)]
struct Merge {
    /// What each `gpulint check --shard` wrote; the other options must be those of the shards.
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    arguments: Arguments,
}

pub fn run(check: Check, colour: Colour, out: &mut dyn Write) -> anyhow::Result<u8> {
    let Check { merge, paths, shard, arguments } = check;
    match merge {
        None => run_with(&Arguments { paths, shard, ..arguments }, None, colour, out),
        Some(Of::Merge(merge)) => {
            let Merge { reports, arguments } = *merge;
            let shards = Shards::read(&reports)?;
            let arguments = Arguments { paths: shards.paths.clone(), reports, ..arguments };
            run_with(&arguments, Some(shards), colour, out)
        }
    }
}
