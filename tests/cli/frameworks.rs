//! What gpulint says of calls and imports of frameworks, held against what they did on a real card. `scripts/ask_frameworks` asks
//! a card; what it saw is in `tests/frameworks/`.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

#[test]
fn gpulint_says_what_cards_showed() {
    let calls = says_what_was_seen("h100.json");
    assert!(calls.is_none_or(|said| said.contains("| a call: does it initialise CUDA? | 541 |")));
    let programs = says_what_was_seen("h200.json");
    assert!(
        programs.is_none_or(|said| said.contains("does the first go wrong, and the second not? | 31 | 31 |"))
    );
}

/// What `scripts/ask_frameworks` says when it asks gpulint alone; `None` where there is no Python.
fn says_what_was_seen(record: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut python = Command::new("python3");
    python.arg("-B").arg(root.join("scripts/ask_frameworks")).args([
        "--gpulint",
        env!("CARGO_BIN_EXE_gpulint"),
        "--replay",
    ]);
    let Ok(output) = python.arg(root.join("tests/frameworks").join(record)).output() else {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{record}: {said}{}", String::from_utf8_lossy(&output.stderr));
    Some(said)
}
