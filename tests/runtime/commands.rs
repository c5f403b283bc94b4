//! Runs of gpulint, what they said, and a folder with a policy.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a command said.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    pub code: Option<i32>,
    pub text: String,
    pub error: String,
}

impl Said {
    pub fn of(code: i32, text: &str, error: &str) -> Said {
        Said { code: Some(code), text: text.to_owned(), error: error.to_owned() }
    }
}

pub fn said(mut command: Command) -> Said {
    let output = command.output().expect("it can be started");
    Said {
        code: output.status.code(),
        text: String::from_utf8(output.stdout).expect("it is UTF-8"),
        error: String::from_utf8(output.stderr).expect("it is UTF-8"),
    }
}

/// A folder that is removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A new folder with this policy in it.
pub fn policy_folder(policy: &str) -> Folder {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("gpulint-runtime-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    std::fs::write(folder.join("gpulint.yaml"), policy).expect("the temporary folder is writable");
    Folder(folder)
}
