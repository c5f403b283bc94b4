//! What gpulint says of calls and imports of frameworks, held against what they did on a real card. `scripts/ask_frameworks` asks
//! a card; what it saw is in `tests/frameworks/`.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

#[test]
fn gpulint_says_what_a_card_showed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut python = Command::new("python3");
    python.arg("-B").arg(root.join("scripts/ask_frameworks")).args([
        "--gpulint",
        env!("CARGO_BIN_EXE_gpulint"),
        "--replay",
    ]);
    let Ok(output) = python.arg(root.join("tests/frameworks/h100.json")).output() else {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("| a call: does it initialise CUDA? | 541 |"), "{said}");
}
