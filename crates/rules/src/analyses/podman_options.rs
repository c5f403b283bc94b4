//! `--gpus` of podman.

use crate::commands::program_name;
use crate::rules::files::{FileScope, RawFinding};

/// `podman run --gpus all`, where no option names a device of CDI beside it.
pub(super) fn for_gpus(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let words = command.words();
        let Some(at) = words.iter().position(|word| word.is_some_and(|word| program_name(word) == "podman"))
        else {
            continue;
        };
        if !matches!(words.get(at + 1).copied().flatten(), Some("run" | "create"))
            || words.iter().flatten().any(|word| word.contains("nvidia.com/gpu"))
        {
            continue;
        }
        let Some(value) = value_of_option(&words[at + 2..]) else { continue };
        if found.iter().any(|known| known.place == command.site) {
            continue;
        }
        let (reason, write) = said_of(value);
        let seen = RawFinding::at(command.site).word("value", value);
        found.push(seen.word("reason", reason).word("write", write));
    }
    found
}

/// The value of `--gpus` among the options; what stands behind the image is for the program.
fn value_of_option<'w>(told: &[Option<&'w str>]) -> Option<&'w str> {
    /// Common options whose value is a word of its own.
    const VALUED: &[&str] = &[
        "-e",
        "--env",
        "-v",
        "--volume",
        "-p",
        "--publish",
        "--name",
        "-w",
        "--workdir",
        "--mount",
        "-u",
        "--user",
        "--network",
        "--ipc",
        "--shm-size",
        "--security-opt",
        "--runtime",
        "--entrypoint",
        "--hooks-dir",
        "--env-file",
        "--userns",
        "--device",
        "-h",
        "--hostname",
        "--memory",
        "-m",
        "--cpus",
        "--label",
        "-l",
        "--pull",
    ];
    let mut at = 0;
    while let Some(word) = told.get(at).copied().flatten().filter(|word| word.starts_with('-')) {
        if let Some(value) = word.strip_prefix("--gpus=") {
            return Some(value);
        }
        if word == "--gpus" {
            return told.get(at + 1).copied().flatten();
        }
        at += if VALUED.contains(&word) { 2 } else { 1 };
    }
    None
}

/// What is so, and what to write.
fn said_of(value: &str) -> (&'static str, String) {
    let bare = value.trim_matches(['"', '\'']);
    if let Some(list) = bare.strip_prefix("device=") {
        let devices: Vec<String> =
            list.split(',').map(|card| format!("--device nvidia.com/gpu={}", card.trim())).collect();
        return ("before 5.0 it is ignored, and since then this is the name of no card", devices.join(" "));
    }
    match bare.parse::<usize>() {
        Ok(count) if count > 0 => {
            let devices: Vec<String> =
                (0..count.min(8)).map(|card| format!("--device nvidia.com/gpu={card}")).collect();
            ("before 5.0 it is ignored, and since then it is the number of one card", devices.join(" "))
        }
        _ => (
            "before 5.0 it is ignored, and the container has no GPU",
            "--device nvidia.com/gpu=all".to_owned(),
        ),
    }
}
