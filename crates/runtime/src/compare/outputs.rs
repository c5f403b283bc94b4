//! What a run put out, and whether two runs put out the same.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What is larger is not compared.
pub const MOST_BYTES: u64 = 256 << 20;
/// File systems count time in steps of up to two seconds.
const STEP: Duration = Duration::from_secs(2);

/// What a run left.
pub struct Outputs {
    /// Named for people: `its standard output`, `result.csv`.
    parts: Vec<(String, Vec<u8>)>,
}

/// Why a run has no outputs that can be compared: a sentence about it, without its subject.
pub type Missing = String;

impl Outputs {
    /// Reads the file with the standard output, if that counts, and the named files, which were written in `folder` since the run began.
    ///
    /// # Errors
    /// When one is not there, is older than the run, or is too large.
    pub fn read(
        said: Option<&Path>,
        files: &[PathBuf],
        folder: &Path,
        began: SystemTime,
    ) -> Result<Outputs, Missing> {
        let mut parts = Vec::new();
        if let Some(said) = said {
            let said = content(said).map_err(|error| format!("said what cannot be read ({error})"))?;
            parts.push(("its standard output".to_owned(), said));
        }
        for file in files {
            let (name, path) = (file.display(), folder.join(file));
            let written = fs::metadata(&path).and_then(|metadata| metadata.modified());
            let written = written.map_err(|error| format!("did not write {name} ({error})"))?;
            if written + STEP < began {
                return Err(format!("did not write {name}, which is older than the run"));
            }
            let content =
                content(&path).map_err(|error| format!("wrote {name}, which cannot be read ({error})"))?;
            parts.push((file.display().to_string(), content));
        }
        Ok(Outputs { parts })
    }

    /// What differs, in words; `None` where nothing does. Both have the same parts.
    pub fn difference(&self, other: &Outputs, tolerance: Option<f64>) -> Option<String> {
        let differing = self.parts.iter().zip(&other.parts);
        differing
            .filter_map(|((name, ours), (_, theirs))| {
                Some(format!("{name}: {}", difference(ours, theirs, tolerance)?))
            })
            .next()
    }
}

fn content(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MiB", MOST_BYTES >> 20)));
    }
    Ok(bytes)
}

/// Where two contents differ first. With a tolerance, numbers of texts may differ by that part of the larger one.
pub fn difference(ours: &[u8], theirs: &[u8], tolerance: Option<f64>) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let (Ok(ours_text), Ok(theirs_text)) = (std::str::from_utf8(ours), std::str::from_utf8(theirs)) else {
        let at = ours.iter().zip(theirs).take_while(|(ours, theirs)| ours == theirs).count();
        return Some(format!("byte {} differs, of {} and {}", at + 1, ours.len(), theirs.len()));
    };
    let (mut ours, mut theirs) = (ours_text.lines(), theirs_text.lines());
    for line in 1.. {
        match (ours.next(), theirs.next()) {
            (None, None) => break,
            (Some(one), Some(other)) if is_alike(one, other, tolerance) => {}
            (one, other) => {
                let quoted = |line: Option<&str>| {
                    line.map_or("nothing".to_owned(), |line| format!("`{}`", short(line)))
                };
                return Some(format!("line {line} is {} and {}", quoted(one), quoted(other)));
            }
        }
    }
    // Only the ends of lines are different then.
    tolerance.is_none().then(|| "the ends of lines differ".to_owned())
}

fn short(line: &str) -> String {
    const MOST: usize = 60;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn is_alike(ours: &str, theirs: &str, tolerance: Option<f64>) -> bool {
    let Some(tolerance) = tolerance else { return ours == theirs };
    let (ours, theirs) = (parts(ours), parts(theirs));
    ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|(one, other)| match (number(one), number(other)) {
            (Some(one), Some(other)) => {
                one == other
                    || (one.is_nan() && other.is_nan())
                    || (one - other).abs() <= tolerance * one.abs().max(other.abs())
            }
            _ => one == other,
        })
}

/// A line as numbers and what is between them.
fn parts(line: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, c) in line.char_indices() {
        let previous = before.replace(c);
        let is_exponent = || line.get(start..at).is_some_and(|word| number(&format!("{word}0")).is_some());
        let joined = match (previous, c) {
            (Some(previous), c) if is_word(previous) && is_word(c) => true,
            // 1e-5
            (Some('e' | 'E'), '-' | '+') => is_exponent(),
            // -1, but not 3-1.
            (Some('-' | '+'), c) if is_word(c) => {
                at - start == 1
                    || line.get(start..at).is_some_and(|word| word.ends_with(['-', '+']) && word.len() > 1)
            }
            _ => false,
        };
        if !joined && at > start {
            parts.push(line.get(start..at).unwrap_or_default());
            start = at;
        }
    }
    parts.extend(line.get(start..).filter(|rest| !rest.is_empty()));
    parts
}

fn number(text: &str) -> Option<f64> {
    let begins = text.trim_start_matches(['-', '+']);
    let is_one = begins.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || matches!(begins, "nan" | "NaN" | "inf" | "Infinity");
    is_one.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_first_difference_is_told() {
        let said = |ours: &str, theirs: &str| difference(ours.as_bytes(), theirs.as_bytes(), None);
        assert_eq!(said("a\nb\n", "a\nb\n"), None);
        assert_eq!(said("a\nb\n", "a\nc\n").unwrap(), "line 2 is `b` and `c`");
        assert_eq!(said("a\n", "a\nb\n").unwrap(), "line 2 is nothing and `b`");
        assert_eq!(said("a", "a\n").unwrap(), "the ends of lines differ");
        assert_eq!(
            difference(b"\xff\x00", b"\xff\x01\x02", Some(1.0)).unwrap(),
            "byte 2 differs, of 2 and 3"
        );
    }

    #[test]
    fn numbers_may_differ_by_a_part_and_nothing_else_may() {
        let alike =
            |ours: &str, theirs: &str| difference(ours.as_bytes(), theirs.as_bytes(), Some(1e-3)).is_none();
        for (ours, theirs) in [
            ("loss: 0.5000 (step 10)", "loss: 0.5004 (step 10)"),
            ("[1e-5, -2.0]", "[1.0001e-05, -2.001]"),
            ("{\"x\": 1000}", "{\"x\": 1000.5}"),
            ("nan inf", "nan inf"),
            ("a,1,2\nb,3,4", "a,1.0,2.0\nb,3.0,4.0"),
            ("-0.0", "0.0"),
        ] {
            assert!(alike(ours, theirs), "{ours} {theirs}");
        }
        for (ours, theirs) in [
            ("loss: 0.500", "loss: 0.502"),
            ("1", "-1"),
            ("0", "1e-9"),
            ("lass: 1", "loss: 1"),
            ("1 2", "1 2 3"),
            ("v1.0a", "v1.0b"),
            ("nan", "1"),
            ("1-2", "1--2"),
            ("", "1"),
        ] {
            assert!(!alike(ours, theirs), "{ours} {theirs}");
        }
    }
}
