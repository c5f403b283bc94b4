//! Repositories for tests.

use crate::project::Project;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs git in a folder, as somebody invented, and with no settings of this machine.
#[track_caller]
pub fn git_in(folder: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        git.env_remove(name);
    }
    for name in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        git.env(format!("{name}_NAME"), "A").env(format!("{name}_EMAIL"), "a@example.org");
    }
    let settings = ["init.defaultBranch=main", "protocol.file.allow=always", "core.autocrlf=false"];
    git.args(settings.iter().flat_map(|setting| ["-c", setting])).args(words).current_dir(folder);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    let ended = git.output().expect("git is installed");
    assert!(ended.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

pub fn git(project: &Project, words: &str) {
    git_in(project.root(), &words.split(' ').collect::<Vec<_>>());
}

/// Commits everything; no two commits have the same message, or they might be one.
pub fn commit(project: &Project) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    git(project, "add -A");
    git(project, &format!("commit -q --allow-empty -m {}", COUNT.fetch_add(1, Ordering::Relaxed)));
}
