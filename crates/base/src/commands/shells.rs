//! Shells: the script, or the code, that they are given to run.

use super::{Dialect, Invocation, Started, has_blank, has_ending, invocation_from, program_name};

pub(super) fn shell_started(words: &[Option<&str>], mut at: usize) -> Started {
    while let Some(word) = words.get(at) {
        let Some(word) = word else { return Started::Unknown };
        match *word {
            "-s" => return Started::ShellInput(Dialect::Bourne),
            "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => at += 2,
            flags if is_flags(flags) && flags[1..].contains('c') => {
                return Started::ShellCode(Dialect::Bourne, at + 1);
            }
            // `-euo pipefail`
            flags if is_flags(flags) && flags.ends_with('o') => at += 2,
            option if option.starts_with(['-', '+']) => at += 1,
            file => return Started::File(file.to_owned()),
        }
    }
    Started::ShellInput(Dialect::Bourne)
}

/// Letters that stand together behind one `-`.
fn is_flags(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        !letters.is_empty() && letters.len() < 6 && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
    })
}

/// `powershell -NoProfile -Command "…"`: names of options may be cut short.
pub(super) fn powershell_started(
    words: &[Option<&str>],
    mut at: usize,
    invocation: &mut Invocation,
) -> Started {
    while let Some(word) = words.get(at) {
        let Some(word) = word else { return Started::Unknown };
        let Some(option) = word.strip_prefix('-').map(str::to_ascii_lowercase) else {
            // Without an option Windows PowerShell takes a command, and PowerShell 7 a file.
            let is_file = has_ending(program_name(word), ".ps1");
            return if is_file {
                Started::File((*word).to_owned())
            } else {
                powershell_code(words, at, invocation)
            };
        };
        let is = |name: &str, least: usize| option.len() >= least && name.starts_with(option.as_str());
        if option.is_empty() {
            return Started::ShellInput(Dialect::PowerShell);
        }
        if is("command", 1) || is("commandwithargs", 8) || option == "cwa" {
            return match words.get(at + 1) {
                Some(Some("-")) | None => Started::ShellInput(Dialect::PowerShell),
                _ => powershell_code(words, at + 1, invocation),
            };
        }
        if is("file", 1) {
            return match words.get(at + 1).copied().flatten() {
                Some(file) => Started::File(file.to_owned()),
                None => Started::Unknown,
            };
        }
        if is("encodedcommand", 1) || option == "ec" {
            return Started::Unknown;
        }
        let with_value = is("executionpolicy", 2)
            || option == "ep"
            || is("windowstyle", 1)
            || is("workingdirectory", 2)
            || option == "wd"
            || is("version", 1)
            || is("inputformat", 2)
            || is("outputformat", 1)
            || is("configurationname", 3)
            || is("settingsfile", 2)
            || is("psconsolefile", 2);
        at += 1 + usize::from(with_value);
    }
    Started::ShellInput(Dialect::PowerShell)
}

/// The code of one word, or a command of several.
fn powershell_code(words: &[Option<&str>], at: usize, invocation: &mut Invocation) -> Started {
    let is_code =
        words.get(at).copied().flatten().is_none_or(|word| has_blank(word) || word.contains(['$', ';', '.']));
    if is_code || at + 1 >= words.len() {
        return Started::ShellCode(Dialect::PowerShell, at);
    }
    invocation_from(words, at, invocation);
    invocation.started.clone()
}

/// `cmd /c "…"`, or the words of a command behind `/c`.
pub(super) fn cmd_started(words: &[Option<&str>], mut at: usize, invocation: &mut Invocation) -> Started {
    while let Some(Some(word)) = words.get(at) {
        match word.to_ascii_lowercase().as_str() {
            "/c" | "/k" | "/r" | "//c" => {
                at += 1;
                if words.get(at).copied().flatten().is_some_and(has_blank) {
                    return Started::ShellCode(Dialect::Batch, at);
                }
                let mut inner = Invocation::default();
                invocation_from(words, at, &mut inner);
                invocation.folder = inner.folder.or_else(|| invocation.folder.take());
                return inner.started;
            }
            option if option.starts_with('/') => at += 1,
            _ => return Started::Program("cmd".to_owned()),
        }
    }
    Started::Program("cmd".to_owned())
}
