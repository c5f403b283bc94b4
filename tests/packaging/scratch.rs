//! Folders that tests write in, and programs started in them without the settings of whoever runs the tests.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A script that chooses its card correctly.
pub const RIGHT: &str = "import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
     os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n\nimport torch\n\n\
     if __name__ == \"__main__\":\n    print(torch.cuda.init())\n";

/// A script with a mask that is an index and no word about the order in which cards are counted.
pub const WRONG: &str = "import os\n\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n\nimport torch\n\n\
     if __name__ == \"__main__\":\n    print(torch.cuda.init())\n";

/// The rule that `WRONG` breaks.
pub const WRONG_RULE: &str = "missing-device-order";

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_gpulint");

/// The folder that holds the files under test.
pub const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

/// A folder outside this repository, so that nothing in it is found by a search upwards. Removed when dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new empty folder; `name` tells the tests of one process apart.
    pub fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("gpulint-packaging-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
        Scratch(folder.canonicalize().expect("it was just created"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and the folders that it lies in.
    pub fn write(&self, name: &str, text: &str) {
        let file = self.0.join(name);
        std::fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("writable");
        std::fs::write(file, text).expect("writable");
    }

    /// Starts `program` here, with the binary under test first on PATH, without git settings of the caller (a
    /// test run from a git hook inherits that hook's GIT_DIR) and with a pre-commit cache of its own.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let own = name.to_string_lossy();
            if own.starts_with("GIT_") || own.starts_with("PRE_COMMIT") || own == "SKIP" {
                command.env_remove(&name);
            }
        }
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let first = Path::new(BINARY).parent().map(Path::to_path_buf);
        let path = std::env::join_paths(first.into_iter().chain(std::env::split_paths(&folders)))
            .expect("a build folder without a colon in its name");
        command
            .current_dir(&self.0)
            .env("PATH", path)
            .env("PRE_COMMIT_HOME", self.0.join(".pre-commit-home"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Test")
            .env("GIT_AUTHOR_EMAIL", "test@example.invalid")
            .env("GIT_COMMITTER_NAME", "Test")
            .env("GIT_COMMITTER_EMAIL", "test@example.invalid");
        command
    }

    /// Runs git here and returns what it printed. Fails the test when git fails.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.command("git").args(arguments).output().expect("git is installed");
        assert!(output.status.success(), "git {arguments:?}: {}", printed(&output));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Everything a program printed, for assertions and their messages.
pub fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Whether a program of the tests' surroundings can be run. Where GPULINT_REQUIRE_TOOLS is set, its absence is a
/// failure.
pub fn is_installed(program: &str) -> bool {
    let installed = Command::new(program).arg("--version").output().is_ok_and(|run| run.status.success());
    if !installed {
        required(&format!("{program} is not on PATH"));
    }
    installed
}

/// The folder with the wheel of this gpulint: building one in the middle of the tests would exchange the binary
/// under them. `.ci/run` builds it before.
pub fn wheels() -> Option<PathBuf> {
    if !is_installed("pre-commit") {
        return None;
    }
    let folder = std::env::var_os("GPULINT_WHEELS").map(PathBuf::from);
    if folder.is_none() {
        required("GPULINT_WHEELS names no folder with a wheel of gpulint; `bash .ci/run` builds one");
    }
    folder
}

fn required(what_lacks: &str) {
    assert!(
        std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(),
        "GPULINT_REQUIRE_TOOLS is set, and {what_lacks}"
    );
    skipped(what_lacks);
}

/// Whether the tests that compile gpulint again are wanted. Says so when they are not.
pub fn slow_tests_wanted() -> bool {
    let wanted = std::env::var_os("GPULINT_SLOW_TESTS").is_some();
    if !wanted {
        skipped("it builds from source; GPULINT_SLOW_TESTS=1 runs it");
    }
    wanted
}

/// Says why a test did nothing, past the capture of the test harness: a test that passes would hide it.
pub fn skipped(reason: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {reason}");
}
