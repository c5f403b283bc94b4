//! Reads what `git diff` prints: which lines of which file are other than before.

use super::ChangesError;
use super::git::{Git, path_of};
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Windows starts no program with more than 32 Ki characters of arguments.
const MOST_BYTES: usize = 16 << 10;

/// The changed lines of each file: first and last, 1-based. Where lines were only taken out, these are the line
/// before and the line after.
#[derive(Debug, Default)]
pub(super) struct Hunks(FxHashMap<PathBuf, Vec<(u32, u32)>>);

impl Hunks {
    /// Asks about files by name; one that moved together with the name that it had, or git would call it new.
    pub(super) fn read(
        git: &Git,
        commit: &str,
        files: &[(&Path, Option<&Path>)],
    ) -> Result<Hunks, ChangesError> {
        let mut hunks = Hunks::default();
        let mut names: Vec<&OsStr> = Vec::new();
        let mut bytes = 0;
        for (at, (name, from)) in files.iter().enumerate() {
            let both = [Some(*name), *from].into_iter().flatten().map(Path::as_os_str);
            bytes += both.clone().map(|name| name.len() + 1).sum::<usize>();
            names.extend(both);
            if bytes > MOST_BYTES || at + 1 == files.len() {
                hunks.add(&git.differences(commit, &names)?);
                names.clear();
                bytes = 0;
            }
        }
        Ok(hunks)
    }

    pub(super) fn of(&self, name: &Path) -> Option<&[(u32, u32)]> {
        self.0.get(name).map(Vec::as_slice)
    }

    fn add(&mut self, text: &[u8]) {
        let mut file = None;
        let mut lines = text.split(|byte| *byte == b'\n');
        while let Some(line) = lines.next() {
            if line.starts_with(b"diff --git ") {
                file = None;
            } else if let Some(name) = line.strip_prefix(b"+++ ") {
                file = name_in(name);
            } else if let (Some(hunk), Some(file)) = (hunk(line), &file) {
                self.0.entry(file.clone()).or_default().push(hunk.lines());
                // The lines themselves may look like anything.
                let mut left = hunk.old + hunk.new;
                while left > 0
                    && let Some(line) = lines.next()
                {
                    // `\ No newline at end of file` is none of them.
                    left -= u32::from(!line.starts_with(b"\\"));
                }
            }
        }
    }
}

struct Hunk {
    /// How many lines there were.
    old: u32,
    /// The first line now, or the one before when there are none.
    start: u32,
    new: u32,
}

impl Hunk {
    fn lines(&self) -> (u32, u32) {
        match self.new {
            0 => (self.start, self.start + 1),
            new => (self.start, self.start + new - 1),
        }
    }
}

/// `@@ -12,3 +12 @@ def f():`
fn hunk(line: &[u8]) -> Option<Hunk> {
    let line = line.strip_prefix(b"@@ -")?;
    let text = std::str::from_utf8(line.split(|byte| *byte == b'@').next()?).ok()?;
    let (old, new) = text.trim().split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((_, old), (start, new)): ((u32, u32), (u32, u32)) = (range(old)?, range(new)?);
    Some(Hunk { old, start, new })
}

/// The name of a file behind `+++ `: with quotes when there are strange characters in it, with a tab behind it when
/// there are blanks. `None` for a file that is gone.
fn name_in(text: &[u8]) -> Option<PathBuf> {
    let text = text.strip_suffix(b"\t").unwrap_or(text);
    let quoted = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    let name = quoted.map_or_else(|| text.to_vec(), unquoted);
    name.strip_prefix(b"b/").map(path_of)
}

/// A name as C writes strings.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            name.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                while let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                    value = value * 8 + u32::from(digit - b'0');
                }
                name.push(value as u8);
            }
            Some(letter) => name.push(match letter {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => other,
            }),
            None => name.push(b'\\'),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, name: &str) -> Vec<(u32, u32)> {
        let mut hunks = Hunks::default();
        hunks.add(text.as_bytes());
        hunks.of(Path::new(name)).unwrap_or_default().to_vec()
    }

    #[test]
    fn lines_that_look_like_headings_are_lines() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@ f\n---- a/x\n++++ b/y\n+@@ -7 +7 @@\n\
                    \\ No newline at end of file\n@@ -9,2 +9,0 @@\n-1\n-2\n";
        assert_eq!(lines(text, "x"), [(1, 2), (9, 10)]);
        assert_eq!(lines(text, "y"), []);
    }

    #[test]
    fn names_of_any_kind() {
        let name = |text: &str| name_in(text.as_bytes()).map(|name| name.display().to_string());
        assert_eq!(name("b/a b.py\t").as_deref(), Some("a b.py"));
        assert_eq!(name("\"b/a\\\"b\\\\\\303\\251\\t.py\"").as_deref(), Some("a\"b\\é\t.py"));
        assert_eq!(name("b/grün.py").as_deref(), Some("grün.py"));
        assert_eq!(name("/dev/null"), None);
    }
}
