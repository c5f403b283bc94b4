//! What Python tells about its imports: a module that each Python process loads before anything of the program, and the files that
//! it writes.

use super::document::{Import, Interpreter, Site};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The module that Python loads when it starts, from the first folder of PYTHONPATH that has one.
const MODULE: &str = include_str!("harness.py");
/// A process that writes more than this is not read to its end.
const MOST_BYTES: u64 = 16 << 20;

/// A folder with the module and the files, gone when it is dropped.
pub struct Harness {
    folder: PathBuf,
    forbidden: String,
}

/// What all processes told.
#[derive(Default)]
pub struct HarnessRecord {
    pub imports: Vec<Import>,
    pub interpreters: Vec<Interpreter>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Begun { python: String, command: Vec<String> },
    Imported { module: String, chain: Vec<Site> },
    Took { module: String, milliseconds: f64 },
}

impl Harness {
    /// # Errors
    /// When there is no place for temporary files.
    pub fn new(forbidden: &[String]) -> io::Result<Harness> {
        let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let folder = env::temp_dir().join(format!("gpulint-proof-{}-{moment}", std::process::id()));
        // One that is there already is somebody else's.
        private(&folder)?;
        let harness = Harness { folder, forbidden: forbidden.join(",") };
        fs::create_dir(harness.files())?;
        fs::create_dir(harness.modules())?;
        fs::write(harness.modules().join("sitecustomize.py"), MODULE)?;
        Ok(harness)
    }

    /// The variables that a command is started with.
    pub fn environment(&self) -> [(&'static str, OsString); 3] {
        let others = env::var_os("PYTHONPATH").filter(|value| !value.is_empty());
        let folders = std::iter::once(self.modules().into_os_string()).chain(others);
        // Folders with a `:` in their names cannot be written there, by nobody.
        let separator = if cfg!(windows) { ";" } else { ":" };
        let path = folders.collect::<Vec<_>>().join(separator.as_ref());
        [
            ("PYTHONPATH", path),
            ("GPULINT_PROOF_FOLDER", self.files().into_os_string()),
            ("GPULINT_PROOF_FORBIDDEN", self.forbidden.clone().into()),
        ]
    }

    /// What was written so far, by the numbers of the processes.
    pub fn told(&self) -> HarnessRecord {
        let entries = fs::read_dir(self.files()).into_iter().flatten().flatten();
        let number = |path: &Path| path.file_stem()?.to_str()?.parse::<u32>().ok();
        let files: BTreeMap<u32, PathBuf> =
            entries.filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect();
        let mut told = HarnessRecord::default();
        for (pid, file) in files {
            told.add(pid, &beginning_of(&file).unwrap_or_default());
        }
        told
    }

    fn files(&self) -> PathBuf {
        self.folder.join("told")
    }

    fn modules(&self) -> PathBuf {
        self.folder.join("modules")
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl HarnessRecord {
    fn add(&mut self, pid: u32, text: &str) {
        // A line that was not written to its end is left out.
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                Line::Begun { python, command } => {
                    self.interpreters.push(Interpreter { pid, version: python, command });
                }
                Line::Imported { module, chain } => {
                    self.imports.push(Import { module, pid, chain, milliseconds: None });
                }
                Line::Took { module, milliseconds } => {
                    let mut imports = self.imports.iter_mut().rev();
                    let of_it = imports.find(|import| {
                        import.pid == pid && import.module == module && import.milliseconds.is_none()
                    });
                    if let Some(import) = of_it {
                        import.milliseconds = Some(milliseconds);
                    }
                }
            }
        }
        // A process that was forked and then became another program tells twice.
        self.interpreters.dedup_by_key(|interpreter| interpreter.pid);
    }
}

fn beginning_of(file: &Path) -> io::Result<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A new folder that nobody else may enter.
fn private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(false).create(folder)
}
