//! What gpulint says of generated programs, held against what CPython does when it runs them. A longer run, and the smallest
//! program that shows a contradiction: see `tests/against_python/README.md`.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn gpulint_says_what_python_does() {
    let known = folder().join("known.txt");
    compare(&["--seed", "1", "--count", "300", "--most", "5", "--known", known.to_str().expect("a text")]);
}

#[test]
fn gpulint_says_what_python_does_of_snippets_that_meet() {
    compare(&["--generator", "snippets", "--seed", "1", "--count", "120", "--most", "5"]);
}

#[test]
fn gpulint_says_what_python_does_of_written_programs() {
    let written = folder().join("written");
    compare(&["--written", written.to_str().expect("a text")]);
}

#[test]
fn gpulint_knows_what_written_programs_write() {
    let exact = folder().join("exact");
    compare(&["--exact", exact.to_str().expect("a text")]);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/against_python")
}

fn compare(arguments: &[&str]) {
    let mut python = Command::new("python3");
    python.arg("-B").arg(folder().join("compare.py")).args(["--gpulint", env!("CARGO_BIN_EXE_gpulint")]);
    python.args(arguments);
    let Ok(output) = python.output() else {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
