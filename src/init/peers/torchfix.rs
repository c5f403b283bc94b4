//! What flake8's settings say of TorchFix, whose codes begin with TOR. <https://github.com/meta-pytorch/torchfix>

use super::ImportedSettings;
use super::codes::{TORCHFIX, here};
use super::settings_files::{pyproject, text, texts};
use crate::languages::ini::reader;
use std::path::Path;

pub(super) fn read(folder: &Path, moved: &mut ImportedSettings) -> anyhow::Result<()> {
    // The first with such a section counts, in this order.
    for file in ["setup.cfg", "tox.ini", ".flake8"] {
        let Some(text) = text(folder, file)? else { continue };
        let ini = reader::read(&text);
        let Some(section) = ini.section("flake8") else { continue };
        for key in &section.keys {
            let lines: Vec<String> = key.lines.iter().map(|(line, _)| (*line).to_owned()).collect();
            take_over(&format!("{file}, flake8."), key.name, &lines, moved);
        }
        return Ok(());
    }
    // Read by the plugin Flake8-pyproject.
    for (key, value) in pyproject(folder, "flake8")?.unwrap_or_default() {
        take_over("pyproject.toml, tool.flake8.", &key, &texts(Some(&value)), moved);
    }
    Ok(())
}

fn take_over(place: &str, key: &str, lines: &[String], moved: &mut ImportedSettings) {
    let place = format!("{place}{key}");
    let is_separator = |c: char| c == ',' || c.is_whitespace();
    let codes = |text: &str| -> Vec<String> {
        text.split(is_separator).filter(|code| code.starts_with("TOR")).map(str::to_owned).collect()
    };
    match key.replace('_', "-").as_str() {
        "select" | "extend-select" => {
            let codes = codes(&lines.join(","));
            if !codes.is_empty() {
                let becomes =
                    "nothing: gpulint runs its recommended rules, with deprecated-amp-api among them";
                moved.tell(&place, codes.join(", "), becomes);
            }
        }
        "ignore" | "extend-ignore" => {
            for code in codes(&lines.join(",")) {
                let becomes = match here(TORCHFIX, &code) {
                    Some(Ok(rules)) => {
                        moved.rules.ignore.extend(rules.iter().map(|rule| (*rule).to_owned()));
                        format!("rules.ignore, {}", rules.join(" and "))
                    }
                    other => reason(other),
                };
                moved.tell(&place, code, &becomes);
            }
        }
        "per-file-ignores" => {
            for (files, ignored) in groups(lines) {
                for code in codes(&ignored.join(",")) {
                    let becomes = match here(TORCHFIX, &code) {
                        Some(Ok(rules)) => {
                            for file in &files {
                                moved.rules.ignore_in(&own_glob(file), &rules);
                            }
                            format!("rules.per-path, without {}", rules.join(" and "))
                        }
                        other => reason(other),
                    };
                    moved.tell(&place, format!("{} ({code})", files.join(", ")), &becomes);
                }
            }
        }
        _ => {}
    }
}

fn reason(other: Option<Result<Vec<&'static str>, &'static str>>) -> String {
    match other {
        Some(Err(why)) => format!("nothing: gpulint has no such rule, {why}"),
        _ => "nothing: gpulint does not know this code".to_owned(),
    }
}

/// `a.py,b.py:TOR101,TOR102 c.py:TOR103`, over one line or several, as files with their codes.
fn groups(lines: &[String]) -> Vec<(Vec<String>, Vec<String>)> {
    let text = lines.join("\n").replace(':', " : ");
    let mut groups = Vec::new();
    let (mut files, mut codes): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut is_behind_colon = false;
    for word in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
        let is_code =
            word.trim_start_matches(|c: char| c.is_ascii_uppercase()).chars().all(|c| c.is_ascii_digit());
        match word {
            ":" => is_behind_colon = true,
            _ if is_behind_colon && is_code => codes.push(word.to_owned()),
            _ => {
                if is_behind_colon {
                    groups.push((std::mem::take(&mut files), std::mem::take(&mut codes)));
                    is_behind_colon = false;
                }
                files.push(word.to_owned());
            }
        }
    }
    groups.push((files, codes));
    groups
}

/// flake8 looks for a glob without a folder in every folder, and a folder stands for what lies in it.
fn own_glob(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    match glob.strip_suffix('/') {
        Some(folder) => format!("{folder}/**"),
        None if glob.contains('/') => glob.to_owned(),
        None => format!("**/{glob}"),
    }
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn files_with_codes_stand_on_one_line_or_on_several() {
        let of = |text: &str| groups(&text.lines().map(str::to_owned).collect::<Vec<_>>());
        let expected = vec![
            (vec!["a.py".to_owned(), "b/*".to_owned()], vec!["TOR101".to_owned(), "E501".to_owned()]),
            (vec!["c.py".to_owned()], vec!["TOR103".to_owned()]),
        ];
        assert_eq!(of("a.py,b/*:TOR101,E501\nc.py: TOR103"), expected);
        assert_eq!(of("a.py, b/* : TOR101 E501, c.py:TOR103"), expected);
    }
}
