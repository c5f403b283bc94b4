//! Checks, in a thread of their own: open documents in, what is to be shown about them out.

use super::diagnostics::{DiagnosticBuilder, Note, Origin, about_policy};
use super::documents::{Document, Documents, Notebook};
use super::encoding::Encoding;
use super::hints::hints_of;
use super::known;
use super::projects::{Project, Projects, Trouble, trouble_about, trouble_with};
use super::remedies::Change;
use super::uri::{self, NamedDocument};
use super::{Event, Options};
use crate::disk::Bounds;
use crate::facts::FileId;
use crate::findings::{Finding, Status};
use crate::languages::{self, Choices};
use crate::map::{lines_of, with_cards};
use crate::policy::policy_files_of;
use crate::program::trace::Trace;
use crate::program::{Program, Start};
use crate::rules::Loaded;
use crate::sources::{Kept, Language, Opened, Source, Sources};
use lsp_types::InlayHint;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

/// What is to be checked.
pub struct Job {
    pub documents: Documents,
    /// Those that the editor opened as projects.
    pub folders: Vec<PathBuf>,
    pub encoding: Encoding,
    /// Files may have changed that are not open.
    pub disk_changed: bool,
    /// What the command line and the editor say now.
    pub options: Arc<Options>,
    /// Somebody asks for the cards of programs.
    pub with_hints: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Checked {
    /// For each document of the job, and each policy that is wrong, all that there is to say.
    pub said: BTreeMap<String, CheckAnswer>,
    /// Documents of which nothing can be said at the moment, because somebody is in the middle of a word: what was said
    /// before stays.
    pub kept: BTreeSet<String>,
    pub troubles: BTreeSet<Trouble>,
    /// Each file that may say something of a policy that was asked for.
    pub policy_files: BTreeSet<PathBuf>,
    /// A check met a fault of gpulint itself.
    pub failed: bool,
    /// For each document that was looked at, which cards its programs take; `None` where nobody asked.
    pub hints: Option<BTreeMap<String, Vec<InlayHint>>>,
}

#[derive(Clone, Debug, Default)]
pub struct CheckAnswer {
    /// The version that was looked at, of what is open.
    pub version: Option<i32>,
    pub notes: Vec<Note>,
    /// What mends all that can be mended safely.
    pub all_safe: Option<Change>,
}

/// One file that is open: a document, or a notebook with those of its cells.
struct OpenFile {
    origin: Origin,
    /// The documents that it is made of, with their versions.
    documents: Vec<(String, i32)>,
    opened: Opened,
    /// Of a notebook that is open as text.
    raw: Option<String>,
}

/// What is remembered from one check to the next.
pub struct Checks {
    options: Arc<Options>,
    projects: Projects,
    kept: Kept,
    before: Vec<LastCheck>,
    /// The last text of each open file that could be read as its language.
    readable: HashMap<String, String>,
}

/// What the last check of a project came to.
struct LastCheck {
    project: Arc<Project>,
    /// The documents that it looked at, with their versions.
    versions: Vec<(String, i32)>,
    result: Checked,
}

impl Checks {
    pub fn new(options: Arc<Options>) -> Self {
        Checks {
            projects: Projects::new(Arc::clone(&options)),
            options,
            kept: Kept::default(),
            before: Vec::new(),
            readable: HashMap::new(),
        }
    }

    /// Checks jobs until nobody sends them any more.
    pub fn work(&mut self, jobs: &mut Receiver<Job>, events: &Sender<Event>) {
        for job in jobs.iter() {
            let work = || self.checked(&job);
            let checked = survived(work).unwrap_or(Checked { failed: true, ..Checked::default() });
            if events.send(Event::Checked(checked)).is_err() {
                return;
            }
        }
    }

    fn checked(&mut self, job: &Job) -> Checked {
        let mut checked = Checked { hints: job.with_hints.then(BTreeMap::new), ..Checked::default() };
        if !Arc::ptr_eq(&self.options, &job.options) {
            self.options = Arc::clone(&job.options);
            self.projects = Projects::new(Arc::clone(&job.options));
            self.before.clear();
        }
        let mut groups: Vec<(Arc<Project>, Vec<OpenFile>)> = Vec::new();
        let opens = opens(&job.documents);
        // Nothing is kept of what was closed.
        self.readable.retain(|name, _| opens.iter().any(|open| open.name() == name));
        for (uri, document) in job.documents.alone.iter().chain(&job.documents.cells) {
            checked.said.insert(uri.clone(), CheckAnswer::nothing(document.version));
        }
        for open in opens {
            let path = open.opened.path.as_deref();
            let (project, trouble) = self.projects.of(path, &job.folders, job.disk_changed);
            checked.troubles.extend(trouble);
            let Some(project) = project else { continue };
            // Somebody looks into a package, and it is not theirs to change.
            if path.is_some_and(|path| Sources::is_installed(&project.settings.root, path)) {
                continue;
            }
            match groups.iter_mut().find(|(known, _)| known.is_that_of(&project)) {
                Some((_, group)) => group.push(open),
                None => groups.push((project, vec![open])),
            }
        }
        let mut before = Vec::new();
        for (project, group) in groups {
            let versions: Vec<_> = group.iter().flat_map(|open| open.documents.clone()).collect();
            let is_same = |before: &&LastCheck| {
                let is_enough = before.result.hints.is_some() || !job.with_hints;
                let is_same = before.project.is_that_of(&project) && before.versions == versions;
                !job.disk_changed && is_enough && is_same
            };
            let result = match self.before.iter().find(is_same) {
                Some(before) => before.result.clone(),
                None => self.guarded(&project, group, job),
            };
            checked.add(&result);
            before.push(LastCheck { project, versions, result });
        }
        self.before = before;
        checked.add_troubles(&job.documents, job.encoding);
        checked
    }

    /// A check that cannot take the server with it.
    fn guarded(&mut self, project: &Project, group: Vec<OpenFile>, job: &Job) -> Checked {
        let names: BTreeSet<String> =
            group.iter().flat_map(|open| open.documents.iter().map(|(uri, _)| uri.clone())).collect();
        let work = || self.of_project(project, group, job);
        survived(work).unwrap_or(Checked { kept: names, failed: true, ..Checked::default() })
    }

    fn of_project(&mut self, project: &Project, group: Vec<OpenFile>, job: &Job) -> Checked {
        let mut checked = Checked::default();
        let encoding = job.encoding;
        let mut opened = Vec::new();
        let mut known = Vec::new();
        for mut open in group {
            let name = open.name().to_owned();
            if is_readable(&open.opened, project) {
                self.readable.insert(name, open.opened.text.clone());
            } else {
                checked.kept.extend(open.documents.iter().map(|(uri, _)| uri.clone()));
                // The others see it as it was.
                match self.readable.get(&name) {
                    Some(text) => open.opened.text.clone_from(text),
                    None => continue,
                }
            }
            opened.push(open.opened.clone());
            known.push(open);
        }
        let mut settings = project.settings.clone();
        // An editor shows what a check of the whole project would report.
        let excluded = settings.excluded(true);
        let sources = Sources::with_opened(&settings.root, opened, (project.extent, &excluded), &self.kept);
        let mut sources = sources.within(settings.disk.bounds());
        let found = settings.find_others(&sources).map_err(|error| trouble_with(&error));
        checked.policy_files.extend(settings.all_policy_files().map(Path::to_owned));
        // One that is written later counts too.
        checked.policy_files.extend(policy_files_of(&settings.root));
        settings.leave_out(&mut sources, &[], true);
        let own_rules = found.and_then(|()| match settings.others_have_rules() {
            true => Loaded::of(&settings).map(Some).map_err(|error| trouble_with(&error)),
            false => Ok(None),
        });
        let programs = Mutex::new(Vec::new());
        let checked_all = own_rules.and_then(|own_rules| {
            let rules = own_rules.as_ref().unwrap_or(&project.rules);
            let watch = |program: &Program<'_>, trace: &Trace, start: Start| {
                let lines = lines_of(program, trace, start);
                programs.lock().unwrap_or_else(PoisonError::into_inner).extend(lines);
            };
            let outcome = match job.with_hints {
                true => crate::check_watched(&sources, &settings, rules, &watch),
                false => crate::check(&sources, &settings, rules),
            };
            outcome.map_err(|unknown| trouble_about(&unknown, &settings)).map(|outcome| (outcome, own_rules))
        });
        let (mut outcome, own_rules) = match checked_all {
            Ok(checked) => checked,
            Err(trouble) => {
                // What was said before stays, as long as the policy of another folder is wrong.
                let documents = known.iter().flat_map(|open| &open.documents);
                checked.kept.extend(documents.map(|(uri, _)| uri.clone()));
                checked.troubles.insert(trouble);
                return checked;
            }
        };
        let rules = own_rules.as_ref().unwrap_or(&project.rules);
        known::mark(&mut outcome, &sources, &settings);
        let (mut origins, mut raw_notebooks, mut versions) = (HashMap::new(), HashMap::new(), HashMap::new());
        for open in known {
            let is_it = |source: &Source| match &open.opened.path {
                Some(path) => source.path.as_ref() == Some(path),
                None => source.path.is_none() && source.name == open.opened.name,
            };
            let Some(at) = sources.files.iter().position(is_it) else { continue };
            let file = FileId(at as u32);
            raw_notebooks.extend(open.raw.map(|raw| (file, raw)));
            for (uri, version) in open.documents {
                if !checked.kept.contains(&uri) {
                    versions.insert(uri.clone(), version);
                }
                checked.said.insert(uri, CheckAnswer::nothing(version));
            }
            origins.insert(file, open.origin);
        }
        let programs =
            with_cards(programs.into_inner().unwrap_or_else(PoisonError::into_inner), &settings.policy);
        checked.hints = job.with_hints.then(|| hints_of(programs, &sources, &origins, encoding));
        let maker = DiagnosticBuilder {
            sources: &sources,
            rules,
            origins: &origins,
            encoding,
            raw_notebooks: &raw_notebooks,
            versions: &versions,
        };
        let is_shown = |finding: &&Finding| {
            finding.status == Status::Active && finding.severity >= self.options.min_severity
        };
        let shown: Vec<&Finding> = outcome.findings.iter().filter(is_shown).collect();
        for (uri, note) in shown.iter().filter_map(|finding| maker.note(finding)) {
            checked.said.entry(uri).or_default().notes.push(note);
        }
        for (uri, change) in maker.all_safe(&shown) {
            checked.said.entry(uri).or_default().all_safe = Some(change);
        }
        checked.said.retain(|uri, _| !checked.kept.contains(uri));
        checked
    }
}

impl CheckAnswer {
    /// Of a document that was looked at in this version.
    fn nothing(version: i32) -> CheckAnswer {
        CheckAnswer { version: Some(version), ..CheckAnswer::default() }
    }
}

impl Checked {
    fn add(&mut self, other: &Checked) {
        self.said.extend(other.said.iter().map(|(uri, said)| (uri.clone(), said.clone())));
        self.said.retain(|uri, _| !other.kept.contains(uri));
        self.kept.extend(other.kept.iter().cloned());
        self.troubles.extend(other.troubles.iter().cloned());
        self.policy_files.extend(other.policy_files.iter().cloned());
        self.failed |= other.failed;
        if let (Some(hints), Some(others)) = (&mut self.hints, &other.hints) {
            hints.extend(others.iter().map(|(uri, of)| (uri.clone(), of.clone())));
        }
    }

    /// What is wrong with a policy is said in its file as well, which may be open or not.
    fn add_troubles(&mut self, documents: &Documents, encoding: Encoding) {
        for trouble in &self.troubles {
            let Some(file) = &trouble.file else { continue };
            // For the length of a line only, and a policy that was refused has none.
            let within = file.parent().map_or_else(Bounds::default, Bounds::of);
            let text = within.read(file, 1 << 20).map(|read| String::from_utf8_lossy(&read).into_owned());
            let text = text.unwrap_or_default();
            let uri = documents.named(file).map_or_else(|| uri::of_path(file), str::to_owned);
            let note = about_policy(&trouble.message, trouble.line, &text, encoding);
            self.said.entry(uri).or_default().notes.push(note);
        }
    }
}

impl Clone for Checked {
    fn clone(&self) -> Self {
        let mut copy = Checked { hints: self.hints.as_ref().map(|_| BTreeMap::new()), ..Checked::default() };
        copy.add(self);
        // That a check failed is told once.
        copy.failed = false;
        copy
    }
}

impl OpenFile {
    fn name(&self) -> &str {
        &self.opened.name
    }
}

/// What `work` returns, or nothing when it panics. The hook of the program says on standard error where.
fn survived<T>(work: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Whether the text can be read as its language. While somebody types, it often cannot.
fn is_readable(opened: &Opened, project: &Project) -> bool {
    let Some(language) = opened.language() else { return true };
    let source = Source::new(None, opened.name.clone(), language, opened.text.clone());
    languages::lower(&source, Choices::of(project.settings.governing_of(&source).policy)).is_ok()
}

/// The open files that may be checked.
fn opens(documents: &Documents) -> Vec<OpenFile> {
    let notebooks =
        documents.notebooks.iter().filter_map(|(uri, notebook)| of_notebook(uri, notebook, documents));
    let alone = documents.alone.iter().filter(|(uri, _)| !documents.notebooks.contains_key(*uri));
    notebooks.chain(alone.filter_map(|(uri, document)| of_document(uri, document))).collect()
}

fn of_document(uri: &str, document: &Document) -> Option<OpenFile> {
    let named = NamedDocument::of(uri);
    if named == NamedDocument::Other {
        return None;
    }
    let opened = Opened {
        path: named.path().map(Path::to_owned),
        name: uri.to_owned(),
        language: language_called(&document.language),
        text: document.text.to_string(),
    };
    let language = opened.language()?;
    let raw = (language == Language::Notebook).then(|| opened.text.clone());
    let documents = vec![(uri.to_owned(), document.version)];
    Some(OpenFile { origin: Origin::Document(uri.to_owned()), documents, opened, raw })
}

/// A notebook as the file that it would be.
fn of_notebook(uri: &str, notebook: &Notebook, documents: &Documents) -> Option<OpenFile> {
    let named = NamedDocument::of(uri);
    if named == NamedDocument::Other {
        return None;
    }
    let cells = notebook.cells.iter().map(|cell| {
        let document = documents.cells.get(&cell.uri);
        let is_python = document.is_some_and(|document| matches!(&*document.language, "python" | ""));
        let kind = if cell.is_code && is_python { "code" } else { "markdown" };
        let text = document.map_or("", |document| &document.text);
        serde_json::json!({"cell_type": kind, "source": text})
    });
    let file = serde_json::json!({"cells": cells.collect::<Vec<_>>(), "metadata": notebook.metadata});
    let versions = notebook.cells.iter().map(|cell| {
        let version = documents.cells.get(&cell.uri).map_or(0, |document| document.version);
        (cell.uri.clone(), version)
    });
    let mut versions: Vec<_> = versions.collect();
    // Cells that moved are another program.
    versions.push((uri.to_owned(), notebook.version));
    Some(OpenFile {
        origin: Origin::Cells(notebook.cells.iter().map(|cell| cell.uri.clone()).collect()),
        documents: versions,
        opened: Opened {
            path: named.path().map(Path::to_owned),
            name: uri.to_owned(),
            language: Some(Language::Notebook),
            text: file.to_string(),
        },
        raw: None,
    })
}

/// The language that a document is read as.
pub fn language_of(uri: &str, documents: &Documents) -> Option<Language> {
    if documents.cells.contains_key(uri) {
        return Some(Language::Notebook);
    }
    let open = of_document(uri, documents.alone.get(uri)?)?;
    // The file of a notebook is JSON, where no comment can stand.
    open.opened.language().filter(|language| *language != Language::Notebook)
}

/// The language that an editor calls so. It decides where a name does not.
fn language_called(name: &str) -> Option<Language> {
    match name {
        "shellscript" | "sh" | "bash" | "zsh" => Some(Language::Shell),
        "bat" | "dosbatch" => Some(Language::Batch),
        "ps1" => Some(Language::PowerShell),
        "make" => Some(Language::Makefile),
        "jsonc" => Some(Language::Json),
        "pip-requirements" => Some(Language::Requirements),
        "cache" => None,
        name => Language::named(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_nothing() {
        assert_eq!(survived(|| 1), Some(1));
        assert_eq!(survived(|| -> u8 { panic!("as if") }), None);
    }

    #[test]
    fn editors_have_names_of_their_own_for_languages() {
        assert_eq!(language_called("python"), Some(Language::Python));
        assert_eq!(language_called("shellscript"), Some(Language::Shell));
        assert_eq!(language_called("cpp"), None);
    }
}
