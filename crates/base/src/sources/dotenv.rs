//! Files of settings that programs load: they are hidden and often ignored by git, and read all the same, since
//! what they set is in force once `load_dotenv` ran.

use super::language::Language;
use crate::disk::names_in;
use crate::sources::Source;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
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
    let speaking: Vec<&Source> = files.par_iter().filter(|source| speaks_of_settings(&source.text)).collect();
    for path in speaking.into_iter().filter_map(|source| source.path.as_deref()) {
        for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
            if !seen.insert(folder.to_owned()) {
                break;
            }
            let names = names_in(folder).unwrap_or_default();
            let files = names.into_iter().map(|name| folder.join(name));
            found.extend(files.filter(|file| Language::of_name(file) == Some(Language::Dotenv)));
        }
    }
    found.sort();
    found
}

/// Whether a text names a file of settings, or what loads one: `dotenv`, `env_file`, `envFile`, `env-file` or `.env`.
fn speaks_of_settings(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), "env").any(|at| {
        let (before, behind) = (&text.as_bytes()[..at], &text.as_bytes()[at + "env".len()..]);
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'(' | b'[');
        before.ends_with(b"dot")
            || ["_file", "File", "-file"].iter().any(|word| behind.starts_with(word.as_bytes()))
            || before.ends_with(b".") && !behind.first().is_some_and(goes_on)
    })
}
