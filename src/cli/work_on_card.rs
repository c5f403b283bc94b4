//! `gpulint work-on-card`: what `gpulint validate` starts on a card, and nobody else.

use crate::runtime::native::device::Source;
use crate::runtime::native::{Profile, burn, leak, run as run_profile};
use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    profile: Load,
}

#[derive(Subcommand)]
enum Load {
    /// Allocate, multiply, check and free, again and again.
    Leak {
        /// How many iterations are measured, unless that leaves it open whether memory grows.
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100_000))]
        iterations: u64,
        /// Rows of the square matrices.
        #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=16_384))]
        side: u32,
        /// Allocate from the card's default pool.
        #[arg(long)]
        pool: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Fill the memory with products of matrices, and compute and compare them as long as it was asked for.
    Burn {
        #[arg(long, default_value_t = 30.0, value_parser = seconds)]
        seconds: f64,
        /// Of the memory that is free.
        #[arg(long, default_value_t = 0.9, value_parser = share)]
        share: f64,
        /// Rows of the square matrices; fewer where one product would take too much memory or time.
        #[arg(long, default_value_t = 8192, value_parser = clap::value_parser!(u32).range(1..=32_768))]
        side: u32,
        /// Whether NVIDIA's library multiplies where it is installed.
        #[arg(long, value_enum, default_value_t)]
        cublas: WhenFound,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum WhenFound {
    #[default]
    Auto,
    Never,
}

#[derive(Args)]
struct Place {
    /// The card that must be the first of this process.
    #[arg(long)]
    uuid: String,
    /// Where what was measured is appended.
    #[arg(long, value_name = "FILE")]
    lines: PathBuf,
}

pub fn run(arguments: Arguments) -> anyhow::Result<u8> {
    let (profile, place) = match arguments.profile {
        Load::Leak { iterations, side, pool, place } => {
            let source = if pool { Source::Pool } else { Source::Driver };
            (Profile::Leak(leak::Amount { iterations: iterations as usize, side, source }), place)
        }
        Load::Burn { seconds, share, side, cublas, place } => {
            let with_cublas = cublas == WhenFound::Auto;
            (Profile::Burn(burn::Amount { seconds, share, side, with_cublas }), place)
        }
    };
    let ended = run_profile(&profile, &place.uuid, &place.lines)
        .with_context(|| format!("cannot write to {}", place.lines.display()))?;
    Ok(ended.exit_code().try_into().unwrap_or(u8::MAX))
}

fn seconds(text: &str) -> Result<f64, String> {
    number(text, 0.0..=86_400.0)
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.001..=1.0)
}

fn number(text: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no number from {} to {}", range.start(), range.end());
    text.parse().ok().filter(|number| range.contains(number)).ok_or_else(wrong)
}
