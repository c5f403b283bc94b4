//! Where a validation keeps what it has so far: a folder for each project, machine and card, used by one validation at a time.

use crate::runtime::cards::Card;
use crate::runtime::document::Document;
use crate::runtime::exec::Refusal;
use crate::runtime::management::CardState;
use crate::runtime::slot::Folder;
use crate::runtime::validation::document::Validation;
use crate::runtime::validation::history::state_folder;
use anyhow::{Context, bail};
use rustc_hash::FxHasher;
use std::fs::{self, File, TryLockError};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

const DOCUMENT: &str = "validation.json";

/// The folder, which is ours until this is dropped or the process ends.
pub struct Place {
    folder: PathBuf,
    opened: Folder,
    _lock: File,
}

impl Place {
    /// Jobs of one scheduler may validate several cards of a machine at once, so that each card has a folder. Those that got none
    /// of the cards that they need (`board`) have nothing that tells them apart, and take the next folder that is free.
    pub fn of(
        asked: Option<&Path>,
        project: &Path,
        board: Option<&Result<CardState, Refusal>>,
    ) -> anyhow::Result<Place> {
        /// Of jobs without a card, on one machine.
        const MOST: usize = 64;
        let folder = match asked {
            Some(folder) => crate::disk::absolute(folder),
            None => folder_of(project, board.and_then(|board| board.as_ref().ok()).map(|board| &board.card))?,
        };
        let count = if asked.is_none() && matches!(board, Some(Err(_))) { MOST } else { 1 };
        for number in 1..=count {
            let mut name = folder.clone().into_os_string();
            if number > 1 {
                name.push(format!("-{number}"));
            }
            if let Some(place) = Place::free(name.into())? {
                return Ok(place);
            }
        }
        bail!(
            "another validation of this project is running: wait for its end, or give this one a folder of its own with \
             --state"
        )
    }

    /// This folder, if no validation uses it.
    fn free(folder: PathBuf) -> anyhow::Result<Option<Place>> {
        let made = || format!("cannot use the folder {} for the state of the validation", folder.display());
        fs::create_dir_all(&folder).with_context(made)?;
        belongs_to_this_user(&folder).with_context(made)?;
        // What others may have put there is neither followed nor waited for.
        let opened = Folder::open(&folder).with_context(made)?;
        let lock = opened.file("lock").with_context(made)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Place { folder, opened, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(made),
        }
    }

    /// Where the earlier speeds of the cards are: for all projects of a user, unless the state was given a place of its own.
    pub fn history(&self, asked: bool) -> Option<PathBuf> {
        if asked { Some(self.folder.join("history")) } else { Some(state_folder()?.join("history")) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn document(&self) -> PathBuf {
        self.folder.join(DOCUMENT)
    }

    /// The last validation.
    ///
    /// # Errors
    /// When there is none, or none that can be read.
    pub fn read(&self) -> io::Result<Validation> {
        match self.opened.existing(DOCUMENT)? {
            Some(_) => Validation::read(&self.document()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// # Errors
    /// When it cannot be written, or something else is in its place.
    pub fn write(&self, document: &Validation) -> io::Result<()> {
        self.opened.existing(DOCUMENT)?;
        document.write(&self.document())
    }
}

/// A folder of another user holds what that user likes: links to files of this one, and verdicts.
#[cfg(unix)]
fn belongs_to_this_user(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    match fs::metadata(folder)?.uid() == rustix::process::geteuid().as_raw() {
        true => Ok(()),
        false => Err(io::Error::other("it belongs to another user; name one of your own with --state")),
    }
}

#[cfg(not(unix))]
fn belongs_to_this_user(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// For each project, machine and card: homes may be shared by machines.
fn folder_of(project: &Path, card: Option<&Card>) -> anyhow::Result<PathBuf> {
    let state = state_folder().context("this user has no home: name a folder with --state")?;
    let mut hasher = FxHasher::default();
    (project, gethostname::gethostname(), card.map(|card| &card.uuid)).hash(&mut hasher);
    let name = project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(state.join("validations").join(format!("{name}-{:016x}", hasher.finish())))
}
