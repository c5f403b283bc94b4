//! `.env` files that Python code may load. They are hidden and often ignored by git, and read all the same:
//! what they set is in force once `load_dotenv` ran.

use super::names;
use crate::sources::Source;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Larger files are no list of settings.
const MAX_BYTES: u64 = 1 << 20;

/// The texts of `.env` files in the folders of files that speak of dotenv and above them, by name.
pub fn near(root: &Path, files: &[Source]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for source in files {
        let Some(path) = &source.path else { continue };
        if memchr::memmem::find(source.text.as_bytes(), b"dotenv").is_none() {
            continue;
        }
        for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                let file = entry.path();
                let name = names::relative(root, &file);
                let is_settings = entry.file_name().to_str().is_some_and(is_dotenv_name);
                let small =
                    entry.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES);
                if is_settings && small && !found.contains_key(&name) {
                    found.extend(fs::read_to_string(&file).ok().map(|text| (name, text)));
                }
            }
        }
    }
    found
}

fn is_dotenv_name(name: &str) -> bool {
    name == ".env" || name.starts_with(".env.") || name.ends_with(".env")
}

/// The settings of a `.env` file in order, as python-dotenv reads them: `export` is allowed, quotes are
/// taken off, and a blank before `#` starts a comment in a value without quotes.
pub fn settings(text: &str) -> Vec<(&str, &str)> {
    text.lines().filter_map(setting).collect()
}

fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
    if line.starts_with('#') {
        return None;
    }
    let (name, value) = line.split_once('=')?;
    let value = value.trim();
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split(" #").next().unwrap_or_default().trim_end(),
    };
    Some((name.trim(), value))
}

#[cfg(test)]
mod tests {
    use super::settings;

    #[test]
    fn lines_are_read_as_python_dotenv_reads_them() {
        let text =
            "# comment\nA=1\n export B = '2 # not a comment'\nC=3 # comment\nD=\"4\"\nE=\nno setting\n";
        let expected = [("A", "1"), ("B", "2 # not a comment"), ("C", "3"), ("D", "4"), ("E", "")];
        assert_eq!(settings(text), expected);
    }
}
