//! The example projects: the wrong one has exactly the findings that its README lists, the right one has none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

#[test]
fn two_cards_has_the_findings_that_its_readme_lists() {
    let listed = rows_of("examples/two-cards/README.md");
    assert!(listed.len() >= 9, "the table was not found: {listed:?}");
    assert_eq!(findings_in("examples/two-cards", Some(1)), listed);
}

#[test]
fn every_script_of_two_cards_is_listed() {
    let readme = std::fs::read_to_string(absolute("examples/two-cards/README.md")).unwrap();
    for entry in std::fs::read_dir(absolute("examples/two-cards")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            !name.ends_with(".py") || readme.contains(&format!("`{name}`")),
            "{name} is not in the README"
        );
    }
}

#[test]
fn clean_is_silent() {
    assert_eq!(findings_in("examples/clean", Some(0)), BTreeSet::new());
}

/// The README shows what a newcomer will see, with `[…]` where lines are left out.
#[test]
fn the_output_in_the_readme_is_real() {
    let readme = std::fs::read_to_string(absolute("README.md")).unwrap().replace("\r\n", "\n");
    assert!(readme.contains("\n    cargo run --release --locked -- check examples/two-cards\n"));
    let (_, rest) = readme.split_once("```text\n").expect("a block with the output");
    let (shown, _) = rest.split_once("```").expect("its end");
    let output = Command::new(env!("CARGO_BIN_EXE_gpulint"))
        .args(["check", "examples/two-cards"])
        .current_dir(checkout())
        .output()
        .expect("the binary runs");
    let real = String::from_utf8_lossy(&output.stdout);
    for part in shown.split("[…]\n") {
        assert!(real.contains(part), "the README shows\n{part}\nand the real output is\n{real}");
    }
}

#[test]
fn the_trace_in_the_docs_is_real() {
    let page = std::fs::read_to_string(absolute("docs/how-it-works.md")).unwrap().replace("\r\n", "\n");
    let (_, rest) = page.split_once("    $ gpulint trace examples/two-cards/evaluate.py\n").expect("a trace");
    let (shown, _) = rest.split_once("\n\n").expect("its end");
    let output = Command::new(env!("CARGO_BIN_EXE_gpulint"))
        .args(["trace", "examples/two-cards/evaluate.py"])
        .current_dir(checkout())
        .output()
        .expect("the binary runs");
    let real = String::from_utf8_lossy(&output.stdout);
    let shown: Vec<&str> = shown.lines().map(|line| &line[4..]).collect();
    assert_eq!(shown, real.lines().collect::<Vec<_>>());
}

/// A work tree of git that holds the examples alone: in that of this repository all its tests would be read.
fn checkout() -> &'static Path {
    static CHECKOUT: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = std::env::temp_dir().join(format!("gpulint-examples-{}", std::process::id()));
        copy(&absolute("examples"), &folder.join("examples"));
        std::fs::create_dir_all(folder.join(".git")).expect("writable");
        std::fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").expect("writable");
        folder
    });
    &CHECKOUT
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("it can be listed").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("it can be copied")),
        }
    }
}

/// Path, line and rule.
type Row = (String, u64, String);

/// What `gpulint check` finds in a project, notes included.
fn findings_in(folder: &str, exit_code: Option<i32>) -> BTreeSet<Row> {
    let output = Command::new(env!("CARGO_BIN_EXE_gpulint"))
        .args(["check", folder, "--no-cache", "--format", "json", "--min-severity", "note"])
        .current_dir(checkout())
        .output()
        .expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("not JSON: {error}\n{}{errors}", String::from_utf8_lossy(&output.stdout))
    });
    let findings = report["findings"].as_array().expect("an array of findings");
    let rows = findings.iter().map(|finding| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let path = text("path").replacen(&format!("{folder}/"), "", 1);
        (path, finding["line"].as_u64().unwrap_or_default(), text("rule"))
    });
    let rows: BTreeSet<Row> = rows.collect();
    assert_eq!(output.status.code(), exit_code, "{rows:#?}\n{errors}");
    rows
}

/// The rows of the README's table that name a rule: ``| `file` | line | `rule` | … |``.
fn rows_of(readme: &str) -> BTreeSet<Row> {
    let text = std::fs::read_to_string(absolute(readme)).unwrap();
    let cells = text.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    cells
        .filter_map(|cells| match cells[..] {
            ["", file, line, rule, _, ""] => {
                let rule = rule.strip_prefix('`')?.strip_suffix('`')?;
                Some((file.trim_matches('`').to_owned(), line.parse().ok()?, rule.to_owned()))
            }
            _ => None,
        })
        .collect()
}

fn absolute(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
