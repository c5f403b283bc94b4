//! Runs of gpulint, what they said, and a folder with a policy.

use crate::folder::Folder;
use std::process::Command;

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

    /// The words in one line, wherever the page was wrapped.
    pub fn words(&self) -> String {
        self.text.split_whitespace().collect::<Vec<_>>().join(" ")
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

/// Whether there is Python to run a script with; where tools are required, there is.
pub fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    assert!(found || std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
    if !found {
        eprintln!("skipped: there is no python3");
    }
    found
}

/// A new folder with this policy in it.
pub fn policy_folder(policy: &str) -> Folder {
    let folder = Folder::new("policy");
    std::fs::write(folder.path().join("gpulint.yaml"), policy).expect("the temporary folder is writable");
    folder
}
