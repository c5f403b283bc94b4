//! Examples in other spellings: a fault is found however its imports are written and whether its names have types, and what
//! is right stays right. CPython writes them, see `tests/against_python/respell.py`.

use gpulint::examples::complaints;
use gpulint::rules::{Example, Files, Rule, RuleSet};
use libtest_mimic::{Failed, Trial};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// What is not found in some spelling, or found in it alone: the rule, the title of its example, the spelling, and why.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    (
        "gpu-import-in-cpu-mode",
        "a name of a forbidden submodule",
        "whole_paths",
        "an import of the package alone does not import the submodule",
    ),
    (
        "nonexistent-gpu-api",
        "expected to fail",
        "imported_names",
        "the import raises, before the test expects it",
    ),
];

/// Rules that read comments, which CPython leaves out.
const COMMENTED: &[&str] =
    &["capability-architecture-mismatch", "gpu-spec-mismatch", "unknown-suppression", "unused-suppression"];

/// The spellings of each text, by name; `None` where there is no CPython.
static SPELLINGS: LazyLock<Option<HashMap<String, BTreeMap<String, String>>>> = LazyLock::new(|| {
    let rules = RuleSet::embedded().rules();
    let texts: Vec<&str> = rules.iter().flat_map(|rule| rule.examples.iter()).flat_map(texts_of).collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/against_python/respell.py");
    let mut python = Command::new("python3");
    python.arg("-B").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().ok()?;
    // It reads all before it writes.
    let mut input = python.stdin.take()?;
    input.write_all(serde_json::to_string(&texts).ok()?.as_bytes()).ok()?;
    drop(input);
    let output = python.wait_with_output().ok()?;
    let spellings: Vec<BTreeMap<String, String>> = serde_json::from_slice(&output.stdout).ok()?;
    Some(texts.iter().map(|text| (*text).to_owned()).zip(spellings).collect())
});

/// One test for each rule that has scripts as examples.
pub fn trials() -> Vec<Trial> {
    let has_scripts = |rule: &&Rule| rule.examples.iter().any(|example| !texts_of(example).is_empty());
    let rules = RuleSet::embedded().rules().iter().filter(has_scripts);
    rules.map(|rule| Trial::test(format!("{}: in other spellings", rule.id), || of_rule(rule))).collect()
}

fn of_rule(rule: &Rule) -> Result<(), Failed> {
    let Some(spellings) = SPELLINGS.as_ref() else {
        if std::env::var_os("GPULINT_REQUIRE_TOOLS").is_some() {
            return Err("there is no python3".into());
        }
        eprintln!("skipped: there is no python3");
        return Ok(());
    };
    let mut wrong = Vec::new();
    for example in rule.examples.iter() {
        for text in texts_of(example) {
            // Without their comments some say nothing.
            if COMMENTED.contains(&&*rule.id) && text.contains('#') {
                continue;
            }
            let is_bad = matches!(&example.bad, Some(Files::One(bad)) if bad == text);
            for (spelling, respelled) in spellings.get(text).into_iter().flatten() {
                let files = Some(Files::One(respelled.clone()));
                let (bad, good) = if is_bad { (files, None) } else { (None, files) };
                let (policy, mode) = (example.policy.clone(), example.mode);
                let other = Example { bad, good, policy, mode, ..Example::default() };
                let complaints = complaints(&other, rule, RuleSet::embedded());
                let complaint = complaints.into_iter().find(|(kind, _)| matches!(*kind, "bad" | "good"));
                let is_known = KNOWN.iter().any(|(id, title, known, _)| {
                    (*id, *title, *known) == (&*rule.id, &*example.title, &**spelling)
                });
                match complaint {
                    Some((kind, complaint)) if !is_known => {
                        wrong
                            .push(format!("{}: {kind}, {spelling}: {complaint}\n{respelled}", example.title));
                    }
                    None if is_known && is_bad => {
                        wrong.push(format!("{}: {spelling} is known as wrong, and is right", example.title));
                    }
                    _ => {}
                }
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The scripts of an example.
fn texts_of(example: &Example) -> Vec<&str> {
    let scripts = [&example.bad, &example.good].into_iter().filter_map(|files| match files {
        Some(Files::One(text)) => Some(text.as_str()),
        _ => None,
    });
    scripts.collect()
}
