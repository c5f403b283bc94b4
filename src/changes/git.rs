//! Runs git as a child process that answers alike wherever it is started: from a hook, which exports where its own
//! repository is, or by someone whose settings turn on colours, pagers and programs that compare files.

use super::{Change, ChangesError, programs};
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};

/// Variables of git that stay: where git and its settings lie. `safe.directory` of a container may be among them.
const KEPT: &[&str] = &[
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// How every comparison is made, whatever the settings say. `--text` because an attribute may call a notebook binary.
const PLAIN: &[&str] = &[
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--text",
    "--find-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// A file that differs between two states.
pub(super) struct ChangedFile {
    /// The letter of git: A, D, M, T, R, C or U.
    pub status: u8,
    /// Before and after.
    pub modes: (Mode, Mode),
    /// The object that it was before.
    pub old: String,
    /// Where what was moved or copied lay.
    pub from: Option<PathBuf>,
    pub name: PathBuf,
}

/// What lies at a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    File,
    Link,
    Submodule,
    Nothing,
}

impl Mode {
    fn of(digits: &str) -> Mode {
        match digits {
            "120000" => Mode::Link,
            "160000" => Mode::Submodule,
            "000000" => Mode::Nothing,
            _ => Mode::File,
        }
    }
}

/// git, started in a folder.
#[derive(Clone, Debug)]
pub(super) struct Git {
    folder: PathBuf,
    /// Another index than the repository's own.
    index: Option<PathBuf>,
    /// Settings that take out the programs of the repository; asked for once.
    harmless: Arc<OnceLock<Vec<String>>>,
}

impl Git {
    pub(super) fn in_folder(folder: &Path) -> Git {
        // git knows nothing of the long form of paths on Windows.
        let plain = folder.to_str().and_then(|folder| folder.strip_prefix(r"\\?\"));
        let plain = plain.filter(|folder| !folder.starts_with("UNC"));
        let folder = plain.map_or_else(|| folder.to_owned(), PathBuf::from);
        Git { folder, index: None, harmless: Arc::default() }
    }

    /// git at the top of the work tree that a folder lies in, and that top, without links on the way to it.
    pub(super) fn of_work_tree(folder: &Path) -> Result<(Git, PathBuf), ChangesError> {
        let top = Git::in_folder(folder).path(&["rev-parse", "--show-toplevel"])?.map_err(|complaint| {
            if complaint.contains("not a git repository") || complaint.contains("must be run in a work tree")
            {
                return ChangesError::NoRepository(folder.display().to_string());
            }
            if complaint.contains("dubious ownership") {
                return ChangesError::OfAnother(folder.display().to_string());
            }
            ChangesError::Refused(complaint)
        })?;
        let git = Git::in_folder(&top);
        Ok((git, top.canonicalize().unwrap_or(top)))
    }

    /// The same, with the index that is to be committed: `git commit --all` hands its hooks another one than the repository
    /// has. One of another repository is not for this one.
    pub(super) fn with_index_of_commit(mut self) -> Result<Git, ChangesError> {
        let Some(index) = std::env::var_os("GIT_INDEX_FILE") else { return Ok(self) };
        let own = self.path(&["rev-parse", "--absolute-git-dir"])?.map_err(ChangesError::Refused)?;
        let index = self.folder.join(index);
        let folder = index.parent().and_then(|folder| folder.canonicalize().ok());
        if folder.is_some() && folder == own.canonicalize().ok() && index.is_file() {
            self.index = Some(index);
        }
        Ok(self)
    }

    /// The commit that a name stands for.
    pub(super) fn commit(&self, name: &str) -> Result<Option<String>, ChangesError> {
        self.word(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])
    }

    /// The one word that a command prints; `None` when it fails or prints none.
    pub(super) fn word(&self, arguments: &[&str]) -> Result<Option<String>, ChangesError> {
        let output = self.output(arguments, &[])?;
        let word = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok((output.status.success() && !word.is_empty()).then_some(word))
    }

    /// The path that a command prints, or what it complains about.
    fn path(&self, arguments: &[&str]) -> Result<Result<PathBuf, String>, ChangesError> {
        let output = self.output(arguments, &[])?;
        if !output.status.success() {
            return Ok(Err(complaint(&output)));
        }
        let line = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
        Ok(Ok(path_of(line)))
    }

    /// The files that differ from a commit, by their names from the top of the work tree. Those that are gone are
    /// left out.
    pub(super) fn changes_since(&self, commit: &str) -> Result<FxHashMap<PathBuf, Change>, ChangesError> {
        let mut changes = FxHashMap::default();
        for one in self.differing(&[commit])? {
            match (one.status, one.from) {
                (b'D', _) => {}
                (b'M', _) => drop(changes.entry(one.name).or_insert(Change::Edited)),
                (b'R', Some(from)) => drop(changes.insert(one.name, Change::Moved(from))),
                // Added, another kind of file, or in conflict.
                _ => drop(changes.insert(one.name, Change::New)),
            }
        }
        Ok(changes)
    }

    /// Files that git neither knows nor ignores, and the folders of repositories among them.
    pub(super) fn untracked(&self) -> Result<Vec<PathBuf>, ChangesError> {
        let listed = self.answer(&["ls-files", "--others", "--exclude-standard", "-z"], &[])?;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| path_of(name.strip_suffix(b"/").unwrap_or(name))).collect())
    }

    /// The commit of a submodule that `commit` asks for.
    pub(super) fn submodule(&self, commit: &str, name: &Path) -> Result<Option<String>, ChangesError> {
        let listed = self.answer(&["ls-tree", "-z", commit, "--"], &[name.as_os_str()])?;
        Ok(submodules_in(&listed).next().map(|(_, commit)| commit))
    }

    /// The submodules of a commit, each with the commit of it that is asked for.
    pub(super) fn submodules(&self, commit: &str) -> Result<Vec<(PathBuf, String)>, ChangesError> {
        let listed = self.answer(&["ls-tree", "-r", "-z", commit], &[])?;
        Ok(submodules_in(&listed).collect())
    }

    /// The differences of some files from a commit, without the lines around them.
    pub(super) fn differences(&self, commit: &str, names: &[&OsStr]) -> Result<Vec<u8>, ChangesError> {
        let options = ["--unified=0", "--inter-hunk-context=0", "--ignore-submodules=all", commit, "--"];
        self.answer(&[&["diff"], PLAIN, &options].concat(), names)
    }

    pub(super) fn answer(&self, arguments: &[&str], names: &[&OsStr]) -> Result<Vec<u8>, ChangesError> {
        let output = self.output(arguments, names)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(ChangesError::Refused(complaint(&output))),
        }
    }

    /// How the files of two states differ: `arguments` name the states.
    pub(super) fn differing(&self, arguments: &[&str]) -> Result<Vec<ChangedFile>, ChangesError> {
        let options = ["--raw", "-z", "--no-abbrev", "--ignore-submodules=dirty"];
        let listed = self.answer(&[&["diff"], PLAIN, &options, arguments].concat(), &[])?;
        let mut fields = listed.split(|byte| *byte == 0);
        let mut all = Vec::new();
        // `:100644 100755 1f2e… 0000… M`, then one name, or two for what moved or was copied.
        while let (Some(head), Some(name)) = (fields.next(), fields.next()) {
            let head = String::from_utf8_lossy(head);
            let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
            let [old_mode, new_mode, old, _, status] = words[..] else { continue };
            let status = status.as_bytes().first().copied().unwrap_or_default();
            let moved = matches!(status, b'R' | b'C').then(|| fields.next()).flatten();
            all.push(ChangedFile {
                status,
                modes: (Mode::of(old_mode), Mode::of(new_mode)),
                old: old.to_owned(),
                from: moved.map(|_| path_of(name)),
                name: path_of(moved.unwrap_or(name)),
            });
        }
        Ok(all)
    }

    /// The contents of some objects, in their order.
    pub(super) fn blobs(&self, ids: &[&str]) -> Result<Vec<Vec<u8>>, ChangesError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let asked: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let refused = |error: std::io::Error| ChangesError::Refused(error.to_string());
        let mut git = self.command(&["cat-file", "--batch"]);
        git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = git.spawn().map_err(|error| self.not_started(error))?;
        let input = running.stdin.take();
        // git answers while it is asked: with one thread both would wait for room in a pipe.
        let (asking, answered) = std::thread::scope(|scope| {
            let asking = scope.spawn(|| input.map_or(Ok(()), |mut input| input.write_all(asked.as_bytes())));
            let answered = running.wait_with_output();
            (asking.join(), answered)
        });
        let answered = answered.map_err(refused)?.stdout;
        asking.unwrap_or(Ok(())).map_err(refused)?;
        let mut rest = answered.as_slice();
        ids.iter().map(|id| next_blob(&mut rest).ok_or_else(|| missing(id))).collect()
    }

    fn output(&self, arguments: &[&str], names: &[&OsStr]) -> Result<Output, ChangesError> {
        let mut git = self.command(arguments);
        git.args(names).output().map_err(|error| self.not_started(error))
    }

    fn not_started(&self, error: std::io::Error) -> ChangesError {
        match error.kind() {
            ErrorKind::NotFound if self.folder.is_dir() => ChangesError::NoGit,
            _ => ChangesError::NotStarted(error),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // Reading settings starts none of them. Where there is no repository there are none of its own.
        let harmless = self.harmless.get_or_init(|| {
            let asked = ["config", "--list", "--show-scope", "-z"];
            let listed = self.command_with(&asked, &[]).output().map(|output| output.stdout);
            programs::taken_out(&listed.unwrap_or_default())
        });
        self.command_with(arguments, harmless)
    }

    fn command_with(&self, arguments: &[&str], settings: &[String]) -> Command {
        let mut git = Command::new("git");
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let is_setting = text.starts_with("GIT_CONFIG_KEY_") || text.starts_with("GIT_CONFIG_VALUE_");
            if text.starts_with("GIT_") && !is_setting && !KEPT.contains(&&*text) {
                git.env_remove(name);
            }
        }
        git.env("LC_ALL", "C").current_dir(&self.folder).stdin(Stdio::null());
        git.args(["--no-pager", "--no-optional-locks", "--literal-pathspecs"]);
        git.args([
            "-c",
            "core.quotePath=false",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ]);
        git.args(settings.iter().flat_map(|setting| ["-c", setting]));
        if let Some(index) = &self.index {
            git.env("GIT_INDEX_FILE", index);
        }
        git.args(arguments);
        git
    }
}

/// The line in which git says why not.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let told = text.lines().find(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
    match told.or(text.lines().next()) {
        Some(line) => line.trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned(),
        None => format!("it ended with {}", output.status),
    }
}

/// The submodules among what `ls-tree -z` lists: `160000 commit 1f2e…`, a tab, the name.
fn submodules_in(listed: &[u8]) -> impl Iterator<Item = (PathBuf, String)> {
    listed.split(|byte| *byte == 0).filter_map(|line| {
        let (head, name) = line.split_at(line.iter().position(|byte| *byte == b'\t')?);
        let head = String::from_utf8_lossy(head);
        Some((path_of(&name[1..]), head.strip_prefix("160000 commit ")?.to_owned()))
    })
}

/// Takes the next answer of `cat-file --batch`: `1f2e… blob 12`, a line break, the content, a line break.
fn next_blob(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let (head, behind) = rest.split_at(rest.iter().position(|byte| *byte == b'\n')?);
    let behind = &behind[1..];
    let Some((_, size)) = std::str::from_utf8(head).ok()?.rsplit_once(" blob ") else {
        *rest = behind;
        return None;
    };
    let size: usize = size.parse().ok()?;
    let content = behind.get(..size)?.to_vec();
    *rest = behind.get(size + 1..)?;
    Some(content)
}

fn missing(id: &str) -> ChangesError {
    ChangesError::Refused(format!("the object {id} is missing; `git fetch` may bring it"))
}

/// Names in git are bytes with `/` between the folders.
pub(super) fn path_of(name: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(name))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
