//! Where is looked: variables of the environment, a folder that stands for `/`, and the platform.

use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longer files tell nothing more: cgroups of a process, the version of a driver.
const MOST_BYTES: u64 = 64 << 10;

/// The variables of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Those of this process. What is no Unicode in a value is replaced.
    pub fn of_process() -> Environment {
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (text(&name), text(&value))).collect()
    }

    /// The value of a variable, the empty one included.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(&*named(name)).map(String::as_str)
    }

    /// The value of a variable that is set and not empty.
    pub fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.trim().is_empty())
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Environment {
        let variables = variables.into_iter();
        Environment {
            variables: variables.map(|(name, value)| (named(&name.into()), value.into())).collect(),
        }
    }
}

/// On Windows, `Path` and `PATH` are one variable.
fn named(name: &str) -> String {
    if cfg!(windows) { name.to_uppercase() } else { name.to_owned() }
}

/// What programs are built for here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Platform {
    /// `linux`, `macos`, `windows` …
    pub system: String,
    /// `x86_64`, `aarch64` …
    pub processor: String,
}

impl Platform {
    /// The one that this program was built for.
    pub fn of_this_program() -> Platform {
        Platform { system: std::env::consts::OS.into(), processor: std::env::consts::ARCH.into() }
    }

    pub fn is_linux(&self) -> bool {
        self.system == "linux"
    }

    pub fn is_windows(&self) -> bool {
        self.system == "windows"
    }

    pub fn is_mac(&self) -> bool {
        self.system == "macos"
    }

    pub fn is_apple_silicon(&self) -> bool {
        self.is_mac() && self.processor == "aarch64"
    }
}

/// Where is looked.
#[derive(Clone, Debug)]
pub struct SearchRoot<'a> {
    pub environment: &'a Environment,
    /// What stands for `/`.
    pub root: &'a Path,
    pub platform: Platform,
}

impl<'a> SearchRoot<'a> {
    /// This machine, as a process with these variables sees it.
    pub fn of_this_machine(environment: &'a Environment) -> SearchRoot<'a> {
        SearchRoot { environment, root: Path::new("/"), platform: Platform::of_this_program() }
    }

    /// Whether there is a file of this path below the root.
    pub(super) fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root.join(path)).is_ok()
    }

    /// The text of a file, as far as it can be read.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        text_of(&self.root.join(path))
    }

    /// What lies in a folder, by name.
    pub(super) fn entries(&self, folder: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return Vec::new() };
        let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries
    }
}

pub(super) fn text_of(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
