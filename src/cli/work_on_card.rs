//! `gpulint work-on-card`: what `gpulint validate` starts on a card, and nobody else.

use super::CLEAN;
use crate::runtime::native::device::Source;
use crate::runtime::native::{End, Profile, leak, run as run_profile};
use anyhow::Context;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// A call did not succeed, which the lines tell.
const FAILED: u8 = 4;
/// This process got another card.
const WRONG_CARD: u8 = 5;

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
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=100_000))]
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
    };
    let ended = run_profile(&profile, &place.uuid, &place.lines)
        .with_context(|| format!("cannot write to {}", place.lines.display()))?;
    Ok(match ended {
        End::Ended => CLEAN,
        End::Failed => FAILED,
        End::WrongCard => WRONG_CARD,
    })
}
