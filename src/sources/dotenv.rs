//! Files of settings that programs load: they are hidden and often ignored by git, and read all the same, since
//! what they set is in force once `load_dotenv` ran.

use super::language::Language;
use crate::sources::Source;
use rustc_hash::FxHashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The `.env` of a folder, whatever git says about it.
pub fn of_folder(folder: &Path) -> Option<PathBuf> {
    let file = folder.join(".env");
    file.is_file().then_some(file)
}

/// The files of settings in the folders of files that speak of them, and above.
pub fn near(root: &Path, files: &[Source]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for source in files {
        let Some(path) = &source.path else { continue };
        if !speaks_of_settings(&source.text) {
            continue;
        }
        for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
            if !seen.insert(folder.to_owned()) {
                break;
            }
            let Ok(entries) = fs::read_dir(folder) else { continue };
            let files = entries.flatten().map(|entry| entry.path());
            found.extend(files.filter(|file| Language::of_name(file) == Some(Language::Dotenv)));
        }
    }
    found.sort();
    found
}

/// Whether a text names a file of settings, or what loads one.
fn speaks_of_settings(text: &str) -> bool {
    ["dotenv", "env_file", "envFile", "env-file"]
        .iter()
        .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
        || memchr::memmem::find_iter(text.as_bytes(), ".env").any(|at| {
            let behind = text.as_bytes().get(at + ".env".len());
            !behind.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'(' | b'['))
        })
}
