//! `make -C trainer train GPU=1`: the Makefile that is meant, and the targets of it.

use super::{Started, is_assignment};

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &["-I", "-l", "-o", "-W", "--include-dir", "--old-file", "--what-if"];

pub(super) fn make_started(words: &[Option<&str>], mut at: usize) -> Started {
    let (mut folder, mut file) = (None, None);
    let (mut targets, mut variables) = (Vec::new(), Vec::new());
    while let Some(word) = words.get(at) {
        let Some(word) = *word else { return Started::Unknown };
        let next = || words.get(at + 1).copied().flatten().map(str::to_owned);
        match word {
            "-C" | "--directory" => folder = next(),
            "-f" | "--file" | "--makefile" => file = next(),
            // Nothing runs.
            "-n" | "--dry-run" | "--just-print" | "-q" | "-p" => return Started::Unknown,
            _ => {}
        }
        let has_value = matches!(word, "-C" | "--directory" | "-f" | "--file" | "--makefile")
            || WITH_VALUE.contains(&word)
            || (word == "-j" && next().is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit())));
        if let Some(value) = word.strip_prefix("--directory=") {
            folder = Some(value.to_owned());
        } else if let Some(value) = word.strip_prefix("--file=").or_else(|| word.strip_prefix("--makefile="))
        {
            file = Some(value.to_owned());
        } else if is_assignment(word) {
            variables.push(at);
        } else if !word.starts_with('-') {
            targets.push(word.to_owned());
        }
        at += 1 + usize::from(has_value);
    }
    Started::Make { folder, file, targets, variables }
}
