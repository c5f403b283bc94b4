//! Small programs with what must be said about them, and nothing else: `tests/projects/`.
//!
//! A comment `# ~ rule severity, rule severity` (`//` in Rust) stands on the line that a finding must name; `# ~^`
//! means the line above, `# ~^^` the one above that. A file without one must be passed over in silence. In a notebook it
//! stands in a cell.
//!
//! Languages without comments have their findings in `expected.txt`, as `path:line rule severity`.
//!
//! - `single/TOPIC/NAME.py` (or another language that is checked) is a project of one file, with the policy of its topic
//!   if there is one, and with those files of `single/TOPIC/common` that it names.
//! - `statements/*.txt` holds one statement a line, which is put between `import torch` and a pin; what the lists
//!   called `freezing` hold reaches cuInit.
//! - every other folder is a project. Its `paths.txt` says what is checked, if that is not all of it.
//!
//! `known-wrong.txt` names those that gpulint still gets wrong. One that it gets right must leave the list.
//!
//! Each is a test of its own: `cargo test --test rules projects/single/rust` runs those of one topic.

use gpulint::findings::{Severity, Status};
use gpulint::rules::RuleSet;
use gpulint::settings::{Request, resolve};
use gpulint::sources::{Excluded, Sources};
use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// One test for each project, by its name.
pub fn trials() -> Vec<Trial> {
    let known_wrong = fs::read_to_string(cases().join("known-wrong.txt")).expect("the list is there");
    let mut unseen: BTreeSet<String> =
        known_wrong.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let mut trials = Vec::new();
    for (number, (name, files)) in projects().into_iter().enumerate() {
        let is_known = unseen.remove(&name);
        trials.push(Trial::test(format!("projects/{name}"), move || {
            let wrong = differences(&name, number, &files);
            match (wrong.is_empty(), is_known) {
                (false, false) => Err(format!("\n{wrong}").into()),
                (true, true) => Err("it is right now; remove it from known-wrong.txt".into()),
                _ => Ok(()),
            }
        }));
    }
    trials.push(Trial::test("projects/known-wrong.txt", move || match unseen.first() {
        Some(name) => Err(format!("there is no {name}").into()),
        None => Ok(()),
    }));
    trials
}

/// The files of a project: where each stands in it, and its text.
type Files = Vec<(String, String)>;

/// Path, line, rule and severity.
type Row = (String, usize, String, String);

fn projects() -> Vec<(String, Files)> {
    let mut all = Vec::new();
    for topic in entries(&cases().join("single")) {
        let policy = fs::read_to_string(topic.join("gpulint.yaml")).ok();
        // A workflow is one by the folder that it lies in.
        let folder = if last_name(&topic) == "workflows" { ".github/workflows/" } else { "" };
        let mut common = Vec::new();
        if topic.join("common").is_dir() {
            collect(&topic.join("common"), &topic.join("common"), &mut common);
        }
        for case in entries(&topic).into_iter().filter(|file| is_case(file)) {
            let text = text_of(&case);
            let mut files = vec![(format!("{folder}{}", last_name(&case)), text.clone())];
            files.extend(common.iter().filter(|(name, _)| text.contains(last_part(name))).cloned());
            files.extend(policy.iter().map(|text| ("gpulint.yaml".to_owned(), text.clone())));
            all.push((relative(&case, &cases()), files));
        }
    }
    for list in entries(&cases().join("statements")) {
        let list_name = last_name(&list);
        let freezing = list_name.starts_with("freezing");
        let itself =
            if list_name == "freezing-imports.txt" { "  # ~ import-initialises-cuda warning" } else { "" };
        for line in text_of(&list).lines() {
            let name = format!("{}: {line}", relative(&list, &cases()));
            all.push((name, vec![("main.py".to_owned(), program_around(line, freezing, itself))]));
        }
    }
    for folder in entries(&cases()).into_iter().filter(|path| path.is_dir()) {
        if !["single", "statements"].contains(&last_name(&folder).as_str()) {
            let mut files = Vec::new();
            collect(&folder, &folder, &mut files);
            all.push((last_name(&folder), files));
        }
    }
    all
}

fn is_case(file: &Path) -> bool {
    let endings = ["bat", "cmd", "ipynb", "md", "ps1", "py", "rs", "sh", "yml", "zsh"];
    endings.iter().any(|ending| file.extension().is_some_and(|it| it == *ending))
}

/// A statement that reaches cuInit makes the pin below it useless; any other leaves it fragile, below `import torch`.
fn program_around(statement: &str, freezing: bool, itself: &str) -> String {
    let [order, mask] = if freezing {
        ["pin-after-cuda-init error"; 2].map(|row| format!("  # ~ {row}"))
    } else {
        [String::new(), "  # ~ pin-after-gpu-import note".to_owned()]
    };
    let statement = statement.replace("; ", "\n").replace("\\n", "\n");
    format!(
        "import os\n\nimport torch\n\n{statement}{itself}\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"{order}\n\
         os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"{mask}\ntorch.cuda.init()\n"
    )
}

/// What is missing and what is too much, a line each.
fn differences(name: &str, number: usize, files: &Files) -> String {
    let folder = std::env::temp_dir().join(format!("gpulint-projects-{}-{number}", std::process::id()));
    for (path, text) in files {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().expect("it lies in the folder")).expect("writable");
        fs::write(file, text).expect("writable");
    }
    let paths = files.iter().find(|(path, _)| path == "paths.txt").map_or(".", |(_, text)| text.as_str());
    let found = findings_in(&folder, paths);
    fs::remove_dir_all(&folder).expect("it was just created");
    let mut too_much = match found {
        Ok(found) => found,
        Err(error) => return format!("    no report: {error}\n"),
    };
    // The lists of statements are about what reaches cuInit, and hold whatever does.
    if name.starts_with("statements/") {
        let rules = RuleSet::embedded();
        too_much.retain(|row| {
            rules.find(&row.2).is_some_and(|rule| ["pinning", "imports"].contains(&&*rule.family))
        });
    }
    let mut lines = String::new();
    for row in files.iter().flat_map(|(path, text)| expected(path, text)) {
        match too_much.iter().position(|it| *it == row) {
            Some(found) => drop(too_much.remove(found)),
            None => {
                writeln!(lines, "    missing: {}:{} {} {}", row.0, row.1, row.2, row.3).expect("a string")
            }
        }
    }
    for row in too_much {
        writeln!(lines, "    too much: {}:{} {} {}", row.0, row.1, row.2, row.3).expect("a string");
    }
    lines
}

/// What is found in a project that lies in a folder: the run of `gpulint check`, without a process for each.
fn findings_in(folder: &Path, paths: &str) -> Result<Vec<Row>, String> {
    let paths = paths.split_whitespace().map(|path| folder.join(path)).collect();
    let request = Request { paths, ..Request::default() };
    let (mut settings, extent) = resolve(&request).map_err(|error| error.to_string())?;
    settings.root = folder.to_owned();
    let excluded = Excluded::new(&settings.policy.exclude, false);
    let sources = Sources::collect_except(&settings.root, &request.paths, extent, &excluded)
        .map_err(|error| error.to_string())?;
    let outcome =
        gpulint::check(&sources, &settings, RuleSet::embedded()).map_err(|error| error.to_string())?;
    let active = outcome.findings.iter().filter(|finding| finding.status == Status::Active);
    let rows = active.map(|finding| {
        let position = sources.position(finding.place);
        let name = &sources.file(finding.place.file).name;
        let path = match position.cell {
            Some(cell) => format!("{name}:cell {cell}"),
            None => name.clone(),
        };
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        (path, position.line as usize, finding.rule.clone(), severity.to_owned())
    });
    Ok(rows.collect())
}

fn expected(path: &str, text: &str) -> Vec<Row> {
    if !path.ends_with(".ipynb") {
        return labels(path, text);
    }
    let Ok(notebook) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
    let cells = notebook["cells"].as_array().cloned().unwrap_or_default();
    let rows = cells.iter().enumerate().map(|(index, cell)| {
        let source = match &cell["source"] {
            serde_json::Value::Array(parts) => parts.iter().filter_map(|part| part.as_str()).collect(),
            text => text.as_str().unwrap_or_default().to_owned(),
        };
        labels(&format!("{path}:cell {}", index + 1), &source)
    });
    rows.flatten().collect()
}

fn labels(path: &str, text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    if path == "expected.txt" {
        for line in text.lines() {
            let mut words = line.split(' ');
            let mut word = || words.next().expect("a place, a rule and a severity").to_owned();
            let (place, rule, severity) = (word(), word(), word());
            let (path, line) = place.rsplit_once(':').expect("a path and a line");
            rows.push((path.to_owned(), line.parse().expect("a number"), rule, severity));
        }
        return rows;
    }
    for (index, line) in text.lines().enumerate() {
        let marker = line.split_once("# ~").or_else(|| line.split_once("// ~"));
        let Some((_, marker)) = marker else { continue };
        let above = marker.bytes().take_while(|byte| *byte == b'^').count();
        let (line, marker) = (index + 1 - above, &marker[above..]);
        for item in marker.split(',') {
            let (rule, severity) = item.trim().split_once(' ').expect("a rule and a severity");
            rows.push((path.to_owned(), line, rule.to_owned(), severity.to_owned()));
        }
    }
    rows
}

fn collect(folder: &Path, root: &Path, files: &mut Files) {
    for entry in entries(folder) {
        if entry.is_dir() {
            collect(&entry, root, files);
        } else {
            files.push((relative(&entry, root), text_of(&entry)));
        }
    }
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    paths
}

fn text_of(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn last_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn relative(path: &Path, root: &Path) -> String {
    let parts = path.strip_prefix(root).expect("it lies below").components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
