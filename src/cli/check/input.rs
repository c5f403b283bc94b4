//! What a check reads: files and folders, or standard input.

use super::Arguments;
use crate::disk;
use crate::sources::{Excluded, FileSelection, Sources};
use anyhow::{Context, bail};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What is checked.
pub enum Input {
    Paths(Vec<PathBuf>),
    Standard { name: Option<PathBuf>, text: Vec<u8> },
}

impl Input {
    pub fn of(arguments: &Arguments) -> anyhow::Result<Input> {
        let is_standard = |path: &PathBuf| path.as_os_str() == "-";
        match arguments.paths.as_slice() {
            [one] if is_standard(one) && arguments.known.write_baseline => {
                bail!("--write-baseline needs files, and `-` reads standard input")
            }
            [one] if is_standard(one) && arguments.known.compares().is_some() => {
                let option = arguments.known.compares().unwrap_or_default();
                bail!("{option} compares files, and `-` reads standard input")
            }
            [one] if is_standard(one) && arguments.add_ignore.is_some() => {
                bail!("--add-ignore writes to files, and `-` reads standard input")
            }
            [one] if is_standard(one) && arguments.watch => {
                bail!("--watch looks at files, and `-` reads standard input")
            }
            [one] if is_standard(one) => {
                let mut text = Vec::new();
                io::stdin().read_to_end(&mut text).context("cannot read standard input")?;
                Ok(Input::Standard { name: arguments.stdin_filename.clone(), text })
            }
            paths if paths.iter().any(is_standard) => {
                bail!("`-` reads standard input and cannot stand beside other paths")
            }
            _ if arguments.stdin_filename.is_some() => {
                bail!("--stdin-filename says what standard input stands for, so it needs the path `-`")
            }
            paths => Ok(Input::Paths(paths.to_vec())),
        }
    }

    /// The paths that decide which policy holds.
    pub fn paths(&self) -> &[PathBuf] {
        match self {
            Input::Paths(paths) => paths,
            Input::Standard { name, .. } => name.as_slice(),
        }
    }

    /// What standard input held, where that is checked.
    pub fn standard(&self) -> Option<&[u8]> {
        match self {
            Input::Paths(_) => None,
            Input::Standard { text, .. } => Some(text),
        }
    }

    pub fn read(&self, root: &Path, extent: FileSelection, excluded: &Excluded) -> anyhow::Result<Sources> {
        match self {
            Input::Paths(paths) => Ok(Sources::collect_except(root, paths, extent, excluded)?),
            Input::Standard { name, text } => {
                let mut sources = Sources::with_standard_input(root, name.as_deref(), text.clone(), extent);
                if let Some(name) = name
                    && excluded.even_named
                    && excluded.names(root, &disk::absolute(name))
                {
                    sources.files.iter_mut().for_each(|source| source.reported = false);
                }
                Ok(sources)
            }
        }
    }
}
