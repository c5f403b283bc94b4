//! Device files that a command cannot open, on systems that have a way to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// What of the system hides files from a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Namespace {
    /// A mount namespace, for which one must be allowed to mount.
    Mount,
    /// A mount namespace inside a user namespace, for which one need not.
    User,
}

/// Files to be hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenFiles {
    pub files: Vec<PathBuf>,
    pub namespace: Namespace,
}

impl HiddenFiles {
    /// Hides the files from the command, and from all that it starts, once it is started. Where the system does not allow it,
    /// the start of the command fails.
    ///
    /// # Errors
    /// When one of the files is not there, or the system has no way to hide it.
    pub fn apply(&self, command: &mut Command) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        return super::unix::hide(&self.files, self.namespace, command);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = command;
            Err(io::Error::new(io::ErrorKind::Unsupported, "files are hidden from a command on Linux only"))
        }
    }
}
