//! `--show-settings`: what holds in the end, and which file says it.

use crate::policy::{self, Origin};
use crate::report::commands::{Form, harmless};
use crate::settings::Settings;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

/// A policy file that would have the same effect, with the rest in comments.
pub fn show(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let mut whole = String::new();
    let file = settings.policy_file.as_ref().map(|file| file.display().to_string());
    let _ = writeln!(whole, "# root: {}", settings.root.display());
    let _ = writeln!(whole, "# policy: {}", file.as_deref().unwrap_or("none"));
    sources(&mut whole, "#", &settings.machine_files, &settings.origins);
    let below = settings.governing().skip(1).filter(|one| one.folder.starts_with(settings.base()));
    for (governing, file) in below.filter_map(|one| Some((one, one.file?))) {
        let folder = governing.prefix(&settings.root);
        let start = format!("# in {}:", folder.trim_end_matches('/'));
        let _ = writeln!(whole, "{start} {}", file.display());
        sources(&mut whole, &start, governing.machine_files, governing.origins);
    }
    if let Some(mode) = settings.mode {
        let _ = writeln!(whole, "# mode: {}", if mode == policy::Mode::Gpu { "gpu" } else { "cpu" });
    }
    for (option, words) in [("select", &settings.select), ("ignore", &settings.ignore)] {
        if !words.is_empty() {
            let _ = writeln!(whole, "# {option}: {}", words.join(","));
        }
    }
    whole += &serde_yaml::to_string(&settings.policy).map_err(io::Error::other)?;
    out.write_all(harmless(&whole, Form::Plain).as_bytes())
}

/// The files below a policy, and where each of its values comes from when not one file says all.
fn sources(whole: &mut String, start: &str, machine_files: &[PathBuf], origins: &[Origin]) {
    for file in machine_files {
        let _ = writeln!(whole, "{start} below it: {}", file.display());
    }
    for origin in origins {
        let _ = writeln!(whole, "{start} {} is from {}", origin.key, origin.file.display());
    }
}
