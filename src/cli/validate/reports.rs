//! The reports that a validation leaves in files: written when it begins, so that one that cannot be written is known before the
//! work and one that is killed leaves what it had; when somebody interrupts it; and when it ends.

use crate::cli::outputs::Output;
use crate::cli::say;
use crate::runtime::validation::document::Validation;
use crate::runtime::validation::pages::{Format, plots, render};
use anyhow::Context;
use std::fs;
use std::io;
use std::path::Path;

/// What was asked for.
#[derive(Clone, Copy)]
pub struct Reports<'a> {
    pub outputs: &'a [Output<Format>],
    /// The folder for the plots.
    pub plots: Option<&'a Path>,
}

impl Reports<'_> {
    /// Before anything has run.
    ///
    /// # Errors
    /// When one of them could not be written at the end.
    pub fn begin(self, document: &Validation) -> anyhow::Result<()> {
        for output in self.outputs {
            // What is no file, such as a pipe, would have the report twice.
            if fs::metadata(output.file()).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
                continue;
            }
            let written = written_to(document, output);
            written.with_context(|| format!("cannot write the report {}", output.file().display()))?;
        }
        if let Some(folder) = self.plots {
            let trial = folder.join(".gpulint-trial");
            let tried = fs::create_dir_all(folder)
                .and_then(|()| fs::write(&trial, ""))
                .and_then(|()| fs::remove_file(&trial));
            tried.with_context(|| format!("cannot write the plots into {}", folder.display()))?;
        }
        Ok(())
    }

    /// All are tried; how many failed, which was said.
    pub fn write(self, document: &Validation) -> usize {
        let mut failed = 0;
        for output in self.outputs {
            if let Err(error) = written_to(document, output) {
                say(format_args!("error: cannot write the report {}: {error}", output.file().display()));
                failed += 1;
            }
        }
        if let Some(folder) = self.plots
            && let Err(error) = plotted_in(document, folder)
        {
            say(format_args!("error: cannot write the plots into {}: {error}", folder.display()));
            failed += 1;
        }
        failed
    }
}

fn written_to(document: &Validation, output: &Output<Format>) -> io::Result<()> {
    fs::write(output.file(), render(document, output.format())?)
}

fn plotted_in(document: &Validation, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    plots(document).into_iter().try_for_each(|(name, plot)| fs::write(folder.join(name), plot))
}
