//! What is said about a file does not depend on how many others are checked with it: each file of each project under
//! `tests/projects/`, checked alone, has the findings that it has in a check of all.

use gpulint::findings::Finding;
use gpulint::rules::RuleSet;
use gpulint::settings::{Request, Settings, resolve};
use gpulint::sources::{FileSelection, Sources};
use rayon::prelude::*;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_file_alone_has_the_findings_that_it_has_among_all() {
    let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects");
    let folders = fs::read_dir(projects).expect("readable").map(|entry| entry.expect("readable").path());
    let mut folders: Vec<PathBuf> =
        folders.filter(|path| path.is_dir() && !path.ends_with("single")).collect();
    folders.sort();
    let report: String = folders.par_iter().map(|folder| differences(folder)).collect();
    assert!(report.is_empty(), "\n{report}");
}

fn differences(folder: &Path) -> String {
    let request = Request { paths: vec![folder.to_owned()], ..Request::default() };
    let (settings, _) = resolve(&request).expect("a policy without faults");
    let settings = Settings { root: folder.to_owned(), ..settings };
    let mut sources =
        Sources::collect(folder, &[folder.to_owned()], FileSelection::NamedPaths).expect("a folder");
    let all = rows(&sources, &settings);
    let mut report = String::new();
    for alone in 0..sources.files.len() {
        for (index, source) in sources.files.iter_mut().enumerate() {
            source.reported = index == alone;
        }
        let name = sources.files[alone].name.clone();
        let expected: Vec<&String> = all.iter().filter(|row| row.starts_with(&format!("{name}:"))).collect();
        let found = rows(&sources, &settings);
        if found.iter().collect::<Vec<_>>() != expected {
            writeln!(report, "{}: {name}\n  alone {found:#?}\n  among all {expected:#?}", folder.display())
                .expect("a string");
        }
    }
    report
}

fn rows(sources: &Sources, settings: &Settings) -> Vec<String> {
    let outcome = gpulint::check(sources, settings, RuleSet::embedded()).expect("no rule is named");
    let row = |finding: &Finding| {
        let line = sources.position(finding.place).line;
        let name = &sources.file(finding.place.file).name;
        // Without a policy their severity says what the others of the project do, which a file alone does not show.
        let severity = match finding.rule.as_ref() {
            "missing-visible-devices" | "missing-device-order" | "gpu-test-without-cleanup" => None,
            "cuda-call-in-default-argument" => None,
            _ => Some(finding.severity),
        };
        format!("{name}:{line} {severity:?}[{}]", finding.rule)
    };
    outcome.findings.iter().map(row).collect()
}
