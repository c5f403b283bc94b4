//! A folder with files in it, and the binary run there.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own for one test, removed at its end. It lies outside of any git work tree.
pub struct Project(PathBuf);

impl Project {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gpulint-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("the temporary folder is writable");
        Project(folder.canonicalize().expect("it was just created"))
    }

    pub fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("writable");
        fs::write(file, text).expect("writable");
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn root(&self) -> &Path {
        &self.0
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file exists")
    }

    /// Runs `gpulint` with these words, which are separated by blanks.
    pub fn run(&self, words: &str) -> Answer {
        self.run_in(".", words)
    }

    pub fn run_in(&self, folder: &str, words: &str) -> Answer {
        answer(self.command().current_dir(self.path(folder)).args(words.split_whitespace()), b"")
    }

    /// The same with words that may hold blanks.
    pub fn run_with_args(&self, words: &[&str]) -> Answer {
        answer(self.command().args(words), b"")
    }

    pub fn run_with_input(&self, words: &str, input: &[u8]) -> Answer {
        answer(self.command().args(words.split_whitespace()), input)
    }

    pub fn run_with_env(&self, words: &str, name: &str, value: impl AsRef<OsStr>) -> Answer {
        answer(self.command().env(name, value).args(words.split_whitespace()), b"")
    }

    /// The binary, in this folder and without what the caller's environment says about output.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpulint"));
        command.current_dir(&self.0).env("HOME", &self.0).env("GIT_CONFIG_NOSYSTEM", "1");
        let of_the_caller = [
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "RUST_BACKTRACE",
            "GITHUB_ACTIONS",
            "GITHUB_WORKSPACE",
            "CI_PROJECT_DIR",
            "BUILD_SOURCESDIRECTORY",
        ];
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"].iter().chain(&of_the_caller) {
            command.env_remove(name);
        }
        command
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub fn answer(command: &mut Command, input: &[u8]) -> Answer {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("the binary starts");
    // Who does not read its input may be gone by now.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl Answer {
    /// Compares everything; a mismatch shows all of it.
    #[track_caller]
    pub fn is(&self, code: i32, stdout: &str, stderr: &str) {
        let expected = (Some(code), stdout, stderr);
        let got = (self.code, self.stdout.as_str(), self.stderr.as_str());
        assert_eq!(got, expected, "\n-- stdout\n{}-- stderr\n{}", self.stdout, self.stderr);
    }

    /// Nothing on standard output, one message on standard error.
    #[track_caller]
    pub fn fails(&self, code: i32, message: &str) {
        self.is(code, "", &format!("{message}\n"));
    }

    /// The report of `--format json`.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// `path: reason` of each skipped file in a JSON report.
    #[track_caller]
    pub fn skipped(&self) -> Vec<String> {
        let report = self.json();
        let skipped = report["files"]["skipped"].as_array().expect("an array");
        let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().expect("a text").to_owned();
        skipped.iter().map(|entry| format!("{}: {}", text(entry, "path"), text(entry, "reason"))).collect()
    }

    /// `path:line rule` of each finding in a JSON report.
    #[track_caller]
    pub fn findings(&self) -> Vec<String> {
        let report = self.json();
        let findings = report["findings"].as_array().expect("an array");
        let shown = |f: &serde_json::Value| {
            let (path, rule) = (f["path"].as_str().expect("a path"), f["rule"].as_str().expect("an id"));
            format!("{path}:{} {rule}", f["line"])
        };
        findings.iter().map(shown).collect()
    }
}
