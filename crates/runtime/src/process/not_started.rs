//! Why a command could not be started, with what a shell would have done about it.

use crate::report::printable;
use std::io;
use std::path::Path;
use std::process::Command;

/// Words that shells act on themselves.
const WORDS_OF_SHELLS: &[&str] = &[
    ".", "alias", "cd", "eval", "exec", "export", "for", "if", "set", "source", "ulimit", "umask", "unset",
    "while",
];

/// Nothing has run.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    #[error("`{}` was not found: {help}", printable(.program))]
    NotFound { program: String, help: String },
    #[error("`{}` cannot be executed: {help}", printable(.program))]
    NotExecutable { program: String, help: String },
    #[error("`{}` could not be started: {source}", printable(.program))]
    Failed { program: String, source: io::Error },
    #[error("another command is still running in this process: wait for its end first")]
    Another,
}

impl NotStarted {
    pub fn of(command: &Command, error: io::Error) -> NotStarted {
        let program = command.get_program().to_string_lossy().into_owned();
        let folder = command.get_current_dir();
        match error.kind() {
            io::ErrorKind::NotFound => {
                NotStarted::NotFound { help: where_it_may_be(&program, folder), program }
            }
            io::ErrorKind::PermissionDenied => {
                NotStarted::NotExecutable { help: how_it_may_run(&program, folder), program }
            }
            _ => NotStarted::Failed { program, source: error },
        }
    }
}

fn where_it_may_be(program: &str, folder: Option<&Path>) -> String {
    let here = folder.unwrap_or(Path::new("."));
    let shown = printable(program);
    if !here.is_dir() {
        return format!("the folder {} to start in is not there", here.display());
    }
    if program.is_empty() {
        return "write the command after `--`".to_owned();
    }
    if WORDS_OF_SHELLS.contains(&program) {
        return format!("only a shell knows this word; start one with `sh -c '{shown} …'`");
    }
    let is_path = program.contains(['/', std::path::MAIN_SEPARATOR]);
    if here.join(program).is_file() {
        return if is_path {
            "the interpreter that its first line names is not there".to_owned()
        } else {
            format!("a file of this folder is started as `./{shown}`")
        };
    }
    if program.split_once('=').is_some_and(|(name, _)| !name.contains('/')) {
        return "to set a variable for the command, write `env` before it".to_owned();
    }
    if program.contains(char::is_whitespace) {
        return "write its words without quotes around them all, or start a shell with `sh -c '…'`"
            .to_owned();
    }
    if is_path { "there is no such file".to_owned() } else { "it is in no folder of PATH".to_owned() }
}

fn how_it_may_run(program: &str, folder: Option<&Path>) -> String {
    let file = folder.unwrap_or(Path::new(".")).join(program);
    let shown = printable(program);
    if file.is_dir() {
        return "it is a folder".to_owned();
    }
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("py") => format!("start it with `python {shown}`, or allow it with `chmod +x {shown}`"),
        Some("sh") => format!("start it with `sh {shown}`, or allow it with `chmod +x {shown}`"),
        _ if file.is_file() => format!("allow it with `chmod +x {shown}`"),
        _ => "no file of that name in PATH may be executed by this user".to_owned(),
    }
}
