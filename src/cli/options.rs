//! Options that several commands share, and the values that options take.

#[cfg(feature = "runtime")]
use crate::disk;
use crate::findings::Severity;
#[cfg(feature = "runtime")]
use crate::policy;
use crate::policy::Mode;
use crate::settings::Request;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
#[cfg(feature = "runtime")]
use std::ffi::OsString;
#[cfg(feature = "runtime")]
use std::path::Path;
use std::path::PathBuf;

/// Where the policy comes from and what is asked of it.
#[derive(Args, Clone)]
pub struct PolicyOptions {
    /// Use the policy in FILE, or override one setting, such as `gpu.visible-devices="1"`.
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    config: Vec<String>,
    /// Ignore policy files.
    #[arg(long)]
    isolated: bool,
    /// Whether programs use the GPU (gpu) or must do without one (cpu).
    #[arg(long, value_parser = mode(), value_name = "gpu|cpu", hide_possible_values = true)]
    mode: Option<Mode>,
}

impl PolicyOptions {
    pub fn request(self, paths: Vec<PathBuf>) -> Request {
        let PolicyOptions { config, isolated, mode } = self;
        Request { paths, config, isolated, mode, ..Request::default() }
    }

    /// As words, for this program started again.
    #[cfg(feature = "runtime")]
    pub fn words(&self) -> Vec<OsString> {
        // It is started in another folder.
        let word = |config: &String| match policy::is_override(config) {
            true => OsString::from(config),
            false => disk::absolute(Path::new(config)).into_os_string(),
        };
        let config = self.config.iter().flat_map(|config| ["--config".into(), word(config)]);
        let isolated = self.isolated.then(|| "--isolated".into());
        let mode = self.mode.map(|mode| match mode {
            Mode::Gpu => "--mode=gpu".into(),
            Mode::Cpu => "--mode=cpu".into(),
        });
        config.chain(isolated).chain(mode).collect()
    }
}

/// Whether cards count that do not exist.
#[cfg(feature = "runtime")]
#[derive(Args, Clone, Copy)]
pub struct SimulatedOptions {
    /// Treat simulated GPUs as real ones, to try this without a GPU. Without it, no run on simulated GPUs exits with 0.
    #[arg(long)]
    pub allow_simulated: bool,
}

/// When text has colours.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Colour {
    #[default]
    Auto,
    Always,
    Never,
}

pub fn severity() -> impl TypedValueParser<Value = Severity> {
    words(["note", "warning", "error"], |word| match word {
        "note" => Severity::Note,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    })
}

fn mode() -> impl TypedValueParser<Value = Mode> {
    words(["gpu", "cpu"], |word| if word == "gpu" { Mode::Gpu } else { Mode::Cpu })
}

fn words<T: Clone + Send + Sync + 'static>(
    words: impl IntoIterator<Item = &'static str>,
    meaning: fn(&str) -> T,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.into_iter().map(PossibleValue::new)).map(move |word| meaning(&word))
}
