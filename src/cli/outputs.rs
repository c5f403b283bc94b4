//! Reports that go to files: `--output FORMAT=FILE`, once for each.

use super::say;
use crate::report::{Format, Report, render};
use anyhow::bail;
use clap::ValueEnum;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// For people, or for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    #[default]
    Text,
    Json,
}

/// A report that goes to a file: `json=report.json`.
#[derive(Clone, Debug)]
pub struct Output<F = Format> {
    format: F,
    file: PathBuf,
}

impl<F: ValueEnum> std::str::FromStr for Output<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Output<F>, String> {
        let formats = || {
            let names = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            names.map(|name| name.get_name().to_owned()).collect::<Vec<_>>().join(", ")
        };
        match text.split_once('=') {
            Some((_, "")) | None => Err("expected FORMAT=FILE, for example json=report.json".to_owned()),
            Some((format, "-")) => {
                Err(format!("`-` is no file; `--format {format}` writes to standard output"))
            }
            Some((format, file)) => {
                let format = F::from_str(format, true)
                    .map_err(|_| format!("`{format}` is not a format; they are {}", formats()))?;
                Ok(Output { format, file: file.into() })
            }
        }
    }
}

impl<F: Copy> Output<F> {
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn format(&self) -> F {
        self.format
    }
}

/// Refuses outputs of which one would take the place of another.
pub fn distinct<F>(outputs: &[Output<F>]) -> anyhow::Result<()> {
    for (at, output) in outputs.iter().enumerate() {
        if outputs[..at].iter().any(|earlier| real(&earlier.file) == real(&output.file)) {
            bail!("two reports go to {}; give each --output a file of its own", output.file.display());
        }
    }
    Ok(())
}

/// The file as the system knows it; it may not exist yet.
fn real(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let named = || {
        folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(file.file_name().unwrap_or_default())
    };
    file.canonicalize().unwrap_or_else(|_| named())
}

/// Writes every report, also when another cannot be written; tells whether all were.
pub fn write_all(report: &Report, outputs: &[Output]) -> bool {
    let mut all = true;
    for output in outputs {
        let file = output.file.display();
        match write(report, output) {
            Ok(left_out) => {
                left_out.into_iter().for_each(|left_out| say(format_args!("note: {file}: {left_out}")))
            }
            Err(error) => {
                say(format_args!("error: cannot write the report {file}: {error}"));
                all = false;
            }
        }
    }
    all
}

fn write(report: &Report, output: &Output) -> io::Result<Option<String>> {
    let mut file = BufWriter::new(File::create(&output.file)?);
    let is_json = output.file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let format = match output.format {
        Format::Correction if is_json => Format::CorrectionJson,
        format => format,
    };
    let left_out = render(report, format, &mut file)?;
    file.flush()?;
    Ok(left_out)
}
