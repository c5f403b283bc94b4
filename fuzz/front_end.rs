//! Any bytes in any language: a run ends, and what it could not read is among the skipped. Every target is built
//! from this file; its name says which file of a project the bytes stand for.

#![no_main]

use gpulint::rules::RuleSet;
use gpulint::settings::Settings;
use gpulint::sources::{Extent, Sources};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

const NAMES: &[(&str, &str)] = &[
    ("batch", "input.bat"),
    ("dockerfile", "Dockerfile"),
    ("dotenv", ".env"),
    ("ini", "tox.ini"),
    ("json", "launch.json"),
    ("makefile", "Makefile"),
    ("markdown", "README.md"),
    ("notebook", "input.ipynb"),
    ("powershell", "input.ps1"),
    ("python", "input.py"),
    ("requirements", "requirements.txt"),
    ("rust", "main.rs"),
    ("shell", "input.sh"),
    ("toml", "pyproject.toml"),
    ("yaml", ".github/workflows/input.yml"),
];

fuzz_target!(|bytes: &[u8]| {
    let (_, name) = NAMES.iter().find(|(target, _)| *target == env!("CARGO_BIN_NAME")).expect("a known target");
    let root = Path::new("/fuzz");
    let sources = Sources::with_standard_input(root, Some(&root.join(name)), bytes.to_vec(), Extent::NamedPaths);
    let settings = Settings { select: vec!["all".to_owned()], ..Settings::default() };
    let outcome = gpulint::check(&sources, &settings, RuleSet::embedded()).expect("`all` is a selector");
    for finding in &outcome.findings {
        sources.position(finding.place);
    }
});
