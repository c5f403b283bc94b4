//! Whole projects before and after `--fix --unsafe-fixes`: `tests/fixed/NAME/before` becomes `after`, where `left.txt` lists what
//! is left for people, each with the reason. `GPULINT_UPDATE=1` writes both; look at what it wrote.
//!
//! Every project of `tests/projects` is fixed as well: whatever is changed there can be read afterwards, and a second run
//! changes nothing.

use gpulint::Outcome;
use gpulint::findings::{Severity, Status};
use gpulint::fix_loop::{FixSelection, FixedProject, apply_until_stable};
use gpulint::rules::RuleSet;
use gpulint::settings::{Request, Settings, resolve};
use gpulint::sources::{Excluded, Source, Sources};
use rayon::prelude::*;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn projects_become_what_they_should_be() {
    let mut report = String::new();
    for project in folders(&tests().join("fixed")) {
        let name = project.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (before, after) = (project.join("before"), project.join("after"));
        let fixed = Fixed::of(&before);
        if std::env::var_os("GPULINT_UPDATE").is_some() {
            fixed.write(&before, &after);
        }
        for (file, text) in fixed.files(&before) {
            let expected = fs::read_to_string(after.join(&file)).unwrap_or_default();
            if text != expected {
                writeln!(report, "{name}/after/{file} is not what becomes of it:\n{text}").expect("a string");
            }
        }
        let again = Fixed::of(&after);
        for applied in &again.settled.applied {
            let file = &again.sources.file(applied.place.file).name;
            writeln!(report, "{name}: a second run changes {file} ({})", applied.rule).expect("a string");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn labelled_projects_can_be_read_after_their_fixes() {
    let mut all = folders(&tests().join("projects"));
    all.extend(folders(&tests().join("projects/single")));
    let faults: Vec<String> = all.into_par_iter().flat_map_iter(|folder| faults_of_fixing(&folder)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// What is wrong with what the fixes make of a project.
fn faults_of_fixing(folder: &Path) -> Vec<String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fixed = Fixed::of(folder);
    let mut faults = Vec::new();
    let (before, after) = (&fixed.outcome.skipped, &fixed.settled.outcome.skipped);
    for skipped in after.iter().filter(|skipped| !before.contains(skipped)) {
        faults.push(format!("{name}: {} cannot be read any more: {}", skipped.path, skipped.reason));
    }
    let again = fixed.again();
    for applied in again.applied {
        let place = fixed.settled.sources.position(applied.place);
        let file = &fixed.sources.file(applied.place.file).name;
        faults.push(format!("{name}: a second run changes {file}:{} ({})", place.line, applied.rule));
    }
    faults
}

/// A project with its fixes, in memory.
struct Fixed {
    settings: Settings,
    sources: Sources,
    outcome: Outcome,
    settled: FixedProject,
}

const WANTED: FixSelection<'static> = FixSelection { risky: true, least: Severity::Warning, fixable: None };

impl Fixed {
    fn of(folder: &Path) -> Fixed {
        let request = Request { paths: vec![folder.to_owned()], ..Request::default() };
        let (mut settings, extent) = resolve(&request).expect("a policy that can be read");
        settings.root = folder.to_owned();
        let excluded = Excluded::new(&settings.policy.exclude, false);
        let sources = Sources::collect_except(&settings.root, &request.paths, extent, &excluded);
        let sources = sources.expect("the folder is there");
        let rules = RuleSet::embedded();
        let outcome = gpulint::check(&sources, &settings, rules).expect("known rules");
        let content_of = |source: &Source| fs::read_to_string(source.path.as_ref()?).ok();
        let settled = apply_until_stable(&sources, &outcome, WANTED, (&settings, rules), &content_of)
            .expect("known rules");
        Fixed { settings, sources, outcome, settled }
    }

    /// What a second run makes of it.
    fn again(&self) -> FixedProject {
        let Fixed { settings, sources, settled, .. } = self;
        let content_of = |source: &Source| {
            let file = sources.files.iter().position(|known| known.name == source.name)?;
            let fixed = settled.files.get(&gpulint::facts::FileId(file as u32));
            fixed.cloned().or_else(|| fs::read_to_string(source.path.as_ref()?).ok())
        };
        let rules = RuleSet::embedded();
        apply_until_stable(&settled.sources, &settled.outcome, WANTED, (settings, rules), &content_of)
            .expect("known rules")
    }

    /// The files that change, by name, and what is left to do.
    fn files(&self, before: &Path) -> Vec<(String, String)> {
        let mut files: Vec<(String, String)> = everything_below(before, before);
        for (file, content) in &self.settled.files {
            let name = &self.sources.file(*file).name;
            if let Some(known) = files.iter_mut().find(|(known, _)| known == name) {
                known.1 = content.clone();
            }
        }
        files.push(("left.txt".to_owned(), self.left()));
        files
    }

    fn left(&self) -> String {
        let mut left = String::new();
        let FixedProject { outcome, sources, dropped, .. } = &self.settled;
        for finding in outcome.findings.iter().filter(|finding| finding.status == Status::Active) {
            if finding.severity >= WANTED.least {
                let position = sources.position(finding.place);
                let file = sources.file(finding.place.file).name_with_cell(position.cell).into_owned();
                let reason = finding.unfixed.as_deref().unwrap_or("no fix");
                writeln!(left, "{file}:{} {} ({reason})", position.line, finding.rule).expect("a string");
            }
        }
        for dropped in dropped {
            let file = &self.sources.file(dropped.place.file).name;
            writeln!(left, "{file}: {} was tried: {}", dropped.rule, dropped.reason).expect("a string");
        }
        left
    }

    fn write(&self, before: &Path, after: &Path) {
        let _ = fs::remove_dir_all(after);
        for (name, text) in self.files(before) {
            let file = after.join(name);
            fs::create_dir_all(file.parent().expect("it lies in the folder")).expect("writable");
            fs::write(file, text).expect("writable");
        }
    }
}

fn everything_below(folder: &Path, root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(everything_below(&path, root));
        } else {
            let parts = path.strip_prefix(root).expect("it lies below").components();
            let name: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
            files.push((name.join("/"), fs::read_to_string(&path).expect("text")));
        }
    }
    files
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).expect("readable").map(|entry| entry.expect("readable").path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}
