//! Runs git as a child process that answers alike wherever it is started: from a hook, which exports where its own
//! repository is, or by someone whose settings turn on colours, pagers and programs that compare files.

use super::{Change, ChangesError};
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Variables of git that stay: where git and its settings lie. `safe.directory` of a container may be among them.
const KEPT: &[&str] = &[
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// How every comparison is made, whatever the settings say. `--text` because an attribute may call a notebook binary.
const PLAIN: &[&str] = &[
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--text",
    "--find-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// git, started in a folder.
#[derive(Clone, Debug)]
pub(super) struct Git {
    folder: PathBuf,
}

impl Git {
    pub(super) fn in_folder(folder: &Path) -> Git {
        // git knows nothing of the long form of paths on Windows.
        let plain = folder.to_str().and_then(|folder| folder.strip_prefix(r"\\?\"));
        let plain = plain.filter(|folder| !folder.starts_with("UNC"));
        Git { folder: plain.map_or_else(|| folder.to_owned(), PathBuf::from) }
    }

    /// The commit that a name stands for.
    pub(super) fn commit(&self, name: &str) -> Result<Option<String>, ChangesError> {
        self.word(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])
    }

    /// The one word that a command prints; `None` when it fails or prints none.
    pub(super) fn word(&self, arguments: &[&str]) -> Result<Option<String>, ChangesError> {
        let output = self.output(arguments, &[])?;
        let word = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok((output.status.success() && !word.is_empty()).then_some(word))
    }

    /// The path that a command prints, or what it complains about.
    pub(super) fn path(&self, arguments: &[&str]) -> Result<Result<PathBuf, String>, ChangesError> {
        let output = self.output(arguments, &[])?;
        if !output.status.success() {
            return Ok(Err(complaint(&output)));
        }
        let line = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
        Ok(Ok(path_of(line)))
    }

    /// The files that differ from a commit, by their names from the top of the work tree. Those that are gone are
    /// left out.
    pub(super) fn changes_since(&self, commit: &str) -> Result<FxHashMap<PathBuf, Change>, ChangesError> {
        let options = ["--raw", "-z", "--ignore-submodules=dirty", commit];
        let listed = self.answer(&[&["diff"], PLAIN, &options].concat(), &[])?;
        let mut changes = FxHashMap::default();
        let mut fields = listed.split(|byte| *byte == 0);
        // `:100644 100644 1f2e… 0000… M`, then one name, or two for what moved.
        while let (Some(head), Some(name)) = (fields.next(), fields.next()) {
            let kind = head.rsplit(|byte| *byte == b' ').next().and_then(|status| status.first());
            match kind {
                Some(b'D') => {}
                Some(b'M') => drop(changes.entry(path_of(name)).or_insert(Change::Edited)),
                Some(b'R') => {
                    let to = fields.next().unwrap_or_default();
                    changes.insert(path_of(to), Change::Moved(path_of(name)));
                }
                // Added, another kind of file, or in conflict.
                _ => drop(changes.insert(path_of(name), Change::New)),
            }
        }
        Ok(changes)
    }

    /// Files that git neither knows nor ignores, and the folders of repositories among them.
    pub(super) fn untracked(&self) -> Result<Vec<PathBuf>, ChangesError> {
        let listed = self.answer(&["ls-files", "--others", "--exclude-standard", "-z"], &[])?;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| path_of(name.strip_suffix(b"/").unwrap_or(name))).collect())
    }

    /// The commit of a submodule that `commit` asks for.
    pub(super) fn submodule(&self, commit: &str, name: &Path) -> Result<Option<String>, ChangesError> {
        let listed = self.answer(&["ls-tree", "-z", commit, "--"], &[name.as_os_str()])?;
        let line = String::from_utf8_lossy(&listed);
        // `160000 commit 1f2e…<tab>name`
        let mut words = line.split_ascii_whitespace();
        Ok((words.next() == Some("160000")).then(|| words.nth(1)).flatten().map(str::to_owned))
    }

    /// The differences of some files from a commit, without the lines around them.
    pub(super) fn differences(&self, commit: &str, names: &[&OsStr]) -> Result<Vec<u8>, ChangesError> {
        let options = ["--unified=0", "--inter-hunk-context=0", "--ignore-submodules=all", commit, "--"];
        self.answer(&[&["diff"], PLAIN, &options].concat(), names)
    }

    fn answer(&self, arguments: &[&str], names: &[&OsStr]) -> Result<Vec<u8>, ChangesError> {
        let output = self.output(arguments, names)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(ChangesError::Refused(complaint(&output))),
        }
    }

    fn output(&self, arguments: &[&str], names: &[&OsStr]) -> Result<Output, ChangesError> {
        let mut git = Command::new("git");
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let is_setting = text.starts_with("GIT_CONFIG_KEY_") || text.starts_with("GIT_CONFIG_VALUE_");
            if text.starts_with("GIT_") && !is_setting && !KEPT.contains(&&*text) {
                git.env_remove(name);
            }
        }
        git.env("LC_ALL", "C").current_dir(&self.folder).stdin(Stdio::null());
        git.args(["--no-pager", "--no-optional-locks", "--literal-pathspecs"]);
        git.args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false"]);
        git.args(arguments).args(names).output().map_err(|error| match error.kind() {
            ErrorKind::NotFound if self.folder.is_dir() => ChangesError::NoGit,
            _ => ChangesError::NotStarted(error),
        })
    }
}

/// The line in which git says why not.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let told = text.lines().find(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
    match told.or(text.lines().next()) {
        Some(line) => line.trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned(),
        None => format!("it ended with {}", output.status),
    }
}

/// Names in git are bytes with `/` between the folders.
pub(super) fn path_of(name: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(name))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
