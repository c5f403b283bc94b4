//! Globs that name files.

use serde::Serialize;
use std::path::Path;

/// A glob over files and folders, relative to the project root: `legacy`, `vendor/**`, `*.ipynb`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FilePattern(String);

impl FilePattern {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A glob as it was typed in the folder `here`. One without `/` names files and folders at any depth.
    pub fn typed(text: &str, root: &Path, here: &Path) -> Option<Self> {
        if let Ok(inside) = Path::new(text).strip_prefix(root) {
            return FilePattern::parse(&inside.to_string_lossy());
        }
        let is_path = text.trim_end_matches('/').contains('/');
        let FilePattern(glob) = FilePattern::parse(text)?;
        let below = here.strip_prefix(root).unwrap_or(Path::new(""));
        let folder =
            below.components().map(|part| globset::escape(&part.as_os_str().to_string_lossy()) + "/");
        match is_path {
            true => FilePattern::parse(&(folder.collect::<String>() + &glob)),
            false => FilePattern::parse(&format!("**/{glob}")),
        }
    }

    /// `legacy/` and `./legacy` name the folder `legacy`. What a `.gitignore` means by a first `/` or `!` is no glob.
    pub fn parse(text: &str) -> Option<Self> {
        let glob = text.trim_start_matches("./").trim_end_matches('/');
        let is_glob = !glob.is_empty() && !text.starts_with(['/', '!']) && globset::Glob::new(glob).is_ok();
        is_glob.then(|| FilePattern(glob.to_owned()))
    }
}
