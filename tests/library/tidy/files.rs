//! What every file here must be like, and which files must be there.

use super::{in_repository, none_of, sources, texts_below};

/// At this length a file has a second subject in it.
const MOST_LINES: usize = 450;

fn source_files() -> impl Iterator<Item = (String, String)> {
    let files = sources().into_iter().chain(texts_below("tests"));
    // Cases are other people's programs.
    files.filter(|(path, _)| path.ends_with(".rs") && !path.starts_with("tests/projects/"))
}

#[test]
fn a_file_says_what_it_is_for() {
    let silent = source_files().filter(|(_, text)| !text.starts_with("//! "));
    none_of(silent.map(|(path, _)| path).collect(), "these do not begin with `//!`");
}

#[test]
fn a_file_has_one_subject() {
    let long = sources().into_iter().filter(|(_, text)| text.lines().count() > MOST_LINES);
    let long = long.map(|(path, text)| format!("{path}: {} lines", text.lines().count()));
    none_of(long.collect(), "longer than 450 lines; look for the second subject");
}

#[test]
fn nothing_is_left_to_do() {
    let markers = [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("db", "g!(")];
    let mut faults = Vec::new();
    for (path, text) in source_files() {
        let left = markers.iter().filter(|marker| text.contains(**marker));
        faults.extend(left.map(|marker| format!("{path}: {marker}…)")));
    }
    none_of(faults, "these panic or print where users are");
}

#[test]
fn no_file_knows_somebodys_machine() {
    let folders = ["work", "root", "home", "Users"].map(|folder| format!("/{folder}"));
    let mut faults = Vec::new();
    for (path, text) in texts_below("") {
        for (index, line) in text.lines().enumerate() {
            let absolute = |folder: &String| {
                line.match_indices(folder.as_str()).any(|(at, found)| {
                    let continues =
                        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '}' | '*' | '~');
                    let starts = !line[..at].ends_with(continues);
                    let after = &line[at + found.len()..];
                    starts && (after.is_empty() || after.starts_with(['/', '"', '\'', '`', ' ', ')']))
                })
            };
            if folders.iter().any(absolute) {
                faults.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    none_of(faults, "absolute paths");
}

#[test]
fn knowledge_is_in_the_file_of_its_name() {
    let mut faults = Vec::new();
    for (folder, key) in [("rules/effects", "library"), ("rules/packages", "package")] {
        let files = texts_below(folder);
        assert!(!files.is_empty(), "{folder}");
        for (path, text) in files {
            let file: serde_yaml::Value =
                serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            let name = file[key].as_str().unwrap_or_default();
            if path != format!("{folder}/{name}.yaml") {
                faults.push(format!("{path}: {key}: {name}"));
            }
            for wanted in ["verified", "sources"] {
                if file[wanted].is_null() {
                    faults.push(format!("{path}: no `{wanted}`"));
                }
            }
        }
    }
    // That every key in them is understood: the embedded set is read whole, or not at all.
    gpulint::rules::RuleSet::embedded();
    none_of(faults, "the name of the file is the name of what it is about, which says how it was checked");
}

#[test]
fn what_others_use_is_there() {
    let files =
        [".pre-commit-hooks.yaml", "action.yml", "gpulint.schema.json", "LICENSE-APACHE", "LICENSE-MIT"];
    let missing = files.iter().filter(|file| !in_repository(file).is_file());
    none_of(missing.map(|file| (*file).to_owned()).collect(), "missing");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let pages = texts_below("").into_iter().filter(|(path, _)| path.ends_with(".md")).collect::<Vec<_>>();
    let mut faults = Vec::new();
    for (path, text) in &pages {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if target.starts_with("https://") || target.contains(char::is_whitespace) {
                continue;
            }
            let file = if file.is_empty() { in_repository(path) } else { in_repository(folder).join(file) };
            let has_anchor = || {
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                text.contains(&format!("<a id=\"{anchor}\">"))
                    || text.lines().any(|line| line.starts_with('#') && anchor_of(line) == anchor)
            };
            if !file.exists() || !(anchor.is_empty() || has_anchor()) {
                faults.push(format!("{path}: {target}"));
            }
        }
    }
    none_of(faults, "links to nothing");
}

/// The anchor that GitHub gives to a heading.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
