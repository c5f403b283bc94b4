//! The answer to words that are no command or option: the one that was probably meant.

use super::UNUSABLE;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Options of `ruff check` that have another name here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("--output-format", "--format"),
    ("--output-file", "--output FORMAT=FILE"),
    ("-o", "--output FORMAT=FILE"),
    ("--extend-ignore", "--ignore"),
    ("--extend-exclude", "--exclude"),
    ("--unfixable", "--fixable"),
    ("--extend-fixable", "--fixable"),
    ("--show-fixes", "--diff"),
    ("--add-noqa", "--add-ignore REASON"),
    ("-e", "--exit-zero"),
    ("-n", "--no-cache"),
    ("-w", "--watch"),
];

/// Prints what clap says to the words of the user, who may have meant others. Also help and the version arrive here.
pub fn answered(mut error: clap::Error, words: &[OsString]) -> ExitCode {
    match error.kind() {
        ErrorKind::InvalidSubcommand => suggest_check(&mut error, words),
        ErrorKind::UnknownArgument if words.first().is_some_and(|word| word == "check") => {
            suggest_option(&mut error);
        }
        _ => {}
    }
    // Whoever closed the stream wants no more of it.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(UNUSABLE))
}

/// `gpulint train.py` is meant as `gpulint check train.py`.
fn suggest_check(error: &mut clap::Error, words: &[OsString]) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let is_path = word.contains(['/', '\\', '.', '*']) || Path::new(word).exists();
    if !is_path {
        return;
    }
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let tip = format!("to check files, write `gpulint check {}`", words.join(" "));
    error.remove(ContextKind::SuggestedSubcommand);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}

fn suggest_option(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return };
    let Some((_, ours)) = ELSEWHERE.iter().find(|(theirs, _)| theirs == word) else { return };
    error.remove(ContextKind::Suggested);
    error.remove(ContextKind::Usage);
    error.insert(ContextKind::SuggestedArg, ContextValue::String((*ours).to_owned()));
}
