//! Which words of a launcher name a script of the project, where only its text is looked at.

use crate::rules::files::FileScope;
use std::borrow::Cow;

/// A script, as launchers may name it.
pub(super) struct Script<'a> {
    path: &'a str,
    /// The last part of its path, where no other file is called so.
    alone: Option<&'a str>,
}

impl<'a> Script<'a> {
    pub fn of(scope: &FileScope<'a>) -> Self {
        let path = scope.program.name_of(scope.file);
        let own = last_part(path);
        let files = &scope.program.sources.files;
        let is_alone = files.iter().filter(|file| last_part(&file.name) == own).count() == 1;
        Script { path, alone: is_alone.then_some(own) }
    }

    /// Whether a word of a launcher names it: by its path from the top of the project or from the launcher, by the end of
    /// its path, or by its own name where that is enough.
    pub fn is_named(&self, word: &str, launcher: &str) -> bool {
        let word = word.trim_matches(['"', '\'']);
        let word = word.strip_prefix("./").unwrap_or(word);
        let from_launcher: Cow<'_, str> = match launcher.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{word}").into(),
            None => word.into(),
        };
        let ends = || self.path.strip_suffix(word).is_some_and(|rest| rest.ends_with('/'));
        self.path == from_launcher
            || self.path == word
            || word.contains('/') && ends()
            || self.alone.is_some_and(|own| last_part(word) == own)
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
