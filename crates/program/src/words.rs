//! Questions about the whole project that its texts answer, without their code: which files have a word, whether somebody
//! reads a variable.

use super::text_questions::TextQuestion;
use super::{Program, dependency_log};
use crate::facts::{FileId, is_whole_name};
use crate::sources::{Source, Sources};
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The answers so far: every text is searched once for each question.
#[derive(Default)]
pub(super) struct WordAnswers {
    files: Mutex<FxHashMap<&'static str, Arc<[FileId]>>>,
    variables: Mutex<FxHashMap<String, bool>>,
    computed: Computed,
}

/// Names that programs compute: `setattr(settings, "gpu_" + kind, value)`. Each is kept once, and lives as long as the project.
struct Computed(Vec<OnceLock<Box<str>>>);

impl Default for Computed {
    fn default() -> Self {
        /// Beyond this many none is known.
        const MOST: usize = 512;
        Computed(std::iter::repeat_with(OnceLock::new).take(MOST).collect())
    }
}

impl WordAnswers {
    /// A computed name as one that lives as long as the project; `None` when there are too many.
    pub fn computed(&self, name: &str) -> Option<&str> {
        let mut names = self.computed.0.iter().map(|slot| &**slot.get_or_init(|| name.into()));
        names.find(|known| *known == name)
    }
}

/// Where a word stands in a text by itself.
pub(super) fn places_of<'t>(text: &'t str, word: &'t Finder<'t>) -> impl Iterator<Item = usize> + 't {
    let is_whole = move |at: &usize| is_whole_name(text, *at, at + word.needle().len());
    word.find_iter(text.as_bytes()).filter(is_whole)
}

impl Program<'_> {
    /// All files, for who asks of each what it says.
    pub fn every_file(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.note_question(|| TextQuestion::Anything);
        (0..).map(FileId).zip(&self.sources.files)
    }

    /// What another file says.
    pub fn text_of(&self, file: FileId) -> &str {
        dependency_log::note_whole(file);
        &self.sources.file(file).text
    }

    /// Whether some file has one of these texts, whatever its language.
    pub fn has_any(&self, texts: &[&'static str]) -> bool {
        texts.iter().any(|text| !self.files_with(text).is_empty())
    }

    /// The files that have this text somewhere, whatever their language.
    pub fn files_with(&self, text: &'static str) -> Arc<[FileId]> {
        self.note_question(|| TextQuestion::Having(text.into()));
        self.having(text)
    }

    /// Whether a file has this text; asked of many files, all are searched once.
    pub(super) fn holds_text(&self, file: FileId, text: &'static str) -> bool {
        self.having(text).binary_search(&file).is_ok()
    }

    fn having(&self, text: &'static str) -> Arc<[FileId]> {
        let mut known = self.words.files.lock().unwrap_or_else(PoisonError::into_inner);
        let search = || {
            let finder = Finder::new(text);
            let files = self.sources.files.iter().enumerate();
            let having = files.filter(|(_, source)| finder.find(source.text.as_bytes()).is_some());
            having.map(|(index, _)| FileId(index as u32)).collect()
        };
        known.entry(text).or_insert_with(search).clone()
    }

    /// Whether a file in Python has this word.
    pub fn has_word(&self, file: FileId, word: &str) -> bool {
        self.note_question(|| TextQuestion::Word(file, word.into()));
        has_word(self.sources.file(file), word)
    }

    /// Whether a file of Python registers classes as those below one of its own: `Name.register(`.
    pub(crate) fn registers(&self, file: FileId, class: &str) -> bool {
        dependency_log::note_whole(file);
        self.having(".register(").contains(&file)
            && self.sources.file(file).text.contains(&format!("{class}.register("))
    }

    /// Whether some file reads the variable: a project may have variables of its own. Judged by the text, for names
    /// that are written somewhere.
    pub fn reads_variable(&self, name: &str) -> bool {
        let mut known = self.words.variables.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(name.to_owned()).or_insert_with(|| reads_variable(self.sources, name))
    }

    /// The variables that were asked about so far, and whether some file reads them.
    pub(super) fn variables_asked(&self) -> Vec<(String, bool)> {
        let known = self.words.variables.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(name, reads)| (name.clone(), *reads)).collect()
    }

    /// Whether pytest runs its tests in several processes, as far as its settings and requirements say.
    pub fn tests_run_in_parallel(&self) -> bool {
        const SETTINGS: [&str; 4] = ["pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"];
        const WORDS: [&str; 4] = ["xdist", "-n auto", "-n logical", "--numprocesses"];
        self.sources.files.iter().any(|source| {
            let name = source.name.rsplit('/').next().unwrap_or(&source.name);
            let is_setting = SETTINGS.contains(&name) || name.starts_with("requirements");
            let words = if is_setting { &WORDS[..] } else { &["PYTEST_XDIST_WORKER"] };
            let counts = is_setting || name == "conftest.py";
            counts && words.iter().any(|word| source.text.contains(word))
        })
    }

    /// Whether another file of Python may look this name of a module up: as an attribute, by an import, or behind a
    /// star. Judged by the text.
    pub fn names_elsewhere(&self, file: FileId, name: &str) -> bool {
        self.note_question(|| TextQuestion::Naming(file, name.into()));
        let mut others = self.sources.files.iter().enumerate().filter(|(index, _)| *index != file.0 as usize);
        others.any(|(_, source)| may_name(source, name))
    }
}

/// Whether a file of Python has this word.
pub(super) fn has_word(source: &Source, word: &str) -> bool {
    source.is_python() && places_of(&source.text, &Finder::new(word)).next().is_some()
}

/// Whether a file of Python may look this name of another module up.
pub(super) fn may_name(source: &Source, name: &str) -> bool {
    if !source.is_python() {
        return false;
    }
    let (finder, text) = (Finder::new(name), &*source.text);
    let has_star = || memchr::memmem::find(text.as_bytes(), b"import *").is_some();
    finder.find_iter(text.as_bytes()).any(|at| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let whole = !behind.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let bare = !before.ends_with(['"', '\'', '$', '{', '_']);
        whole && (before.ends_with('.') || (bare && (line.contains("import ") || has_star())))
    })
}

/// Whether some file reads the variable, judged by the text.
pub(super) fn reads_variable(sources: &Sources, name: &str) -> bool {
    const READING: &[&str] =
        &["$", "${", "%", "!", "env:", "getenv(\"", "getenv('", "get(\"", "get('", "env."];
    sources.files.iter().any(|source| {
        memchr::memmem::find_iter(source.text.as_bytes(), name).any(|at| {
            let (before, behind) = (&source.text[..at], &source.text[at + name.len()..]);
            let whole = !behind.starts_with(|next: char| next.is_alphanumeric() || next == '_');
            let is_item = (before.ends_with("[\"") || before.ends_with("['"))
                && behind.get(2..).is_some_and(|rest| {
                    let rest = rest.trim_start();
                    !rest.starts_with('=') || rest.starts_with("==")
                });
            let writes = behind.trim_start().starts_with('=') && !behind.trim_start().starts_with("==");
            whole && !writes && (is_item || READING.iter().any(|reading| before.ends_with(reading)))
        })
    })
}
