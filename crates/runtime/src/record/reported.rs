//! What a command measured itself: lines `name value unit` in the file that the variable GPULINT_REPORT names. The unit may
//! be left out. Empty lines and lines that begin with `#` say nothing; of two lines with one name the later one counts.
//!
//! ```text
//! throughput 1234.5 images/s
//! loss 0.25
//! ```
//!
//! A file and not the output of the command, because that is for people and may come from many processes at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The variable with the path of the file. The command may write to it, and need not.
pub const REPORT: &str = "GPULINT_REPORT";

/// Something that a command measured itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reported {
    /// Letters, digits and `_`, `.`, `-`, beginning with a letter.
    pub name: String,
    pub value: f64,
    #[serde(default)]
    pub unit: Option<String>,
}

/// What the file of a command says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// In the order in which the names first come.
    pub measured: Vec<Reported>,
    /// What could not be read, each a clause that names the line.
    pub faults: Vec<String>,
}

const MOST_BYTES: u64 = 64 * 1024;
const MOST_NAMES: usize = 100;
/// More would bury the record.
const MOST_FAULTS: usize = 10;
const LONGEST_WORD: usize = 64;

impl Report {
    /// Reads what there is; a file that was not written is a report of nothing.
    pub fn read(file: &Path) -> Report {
        match beginning(file) {
            Ok(text) => Report::of(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => Report::default(),
            Err(error) => {
                Report { measured: Vec::new(), faults: vec![format!("it cannot be read: {error}")] }
            }
        }
    }

    fn of(text: &str) -> Report {
        let mut report = Report::default();
        if text.len() as u64 > MOST_BYTES {
            report
                .faults
                .push(format!("it is longer than {MOST_BYTES} bytes, and only the beginning was read"));
        }
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some(reported) = measured(line) else {
                if report.faults.len() < MOST_FAULTS {
                    report.faults.push(format!("line {} is not `name value unit`", index + 1));
                }
                continue;
            };
            if let Some(known) = report.measured.iter_mut().find(|known| known.name == reported.name) {
                *known = reported;
            } else if report.measured.len() < MOST_NAMES {
                report.measured.push(reported);
            } else {
                report.faults.push(format!("it has more than {MOST_NAMES} names"));
                break;
            }
        }
        report
    }
}

fn beginning(file: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    // What is no file, such as a pipe that nobody writes to, would be waited for.
    if !std::fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    File::open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn measured(line: &str) -> Option<Reported> {
    let mut words = line.split_whitespace();
    let (name, value, unit, None) = (words.next()?, words.next()?, words.next(), words.next()) else {
        return None;
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let is_short = name.len() <= LONGEST_WORD && unit.is_none_or(|unit| unit.len() <= LONGEST_WORD);
    let value = value.parse::<f64>().ok().filter(|value| value.is_finite())?;
    (is_name && is_short).then(|| Reported { name: name.to_owned(), value, unit: unit.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_a_value_and_perhaps_a_unit() {
        let report =
            Report::of("# of the last epoch\nthroughput 1 images/s\n\nloss 2.5e-1\nthroughput 2 images/s\n");
        let reported = |name: &str, value, unit: Option<&str>| Reported {
            name: name.into(),
            value,
            unit: unit.map(str::to_owned),
        };
        let expected = [reported("throughput", 2.0, Some("images/s")), reported("loss", 0.25, None)];
        assert_eq!(report.measured, expected);
        assert!(report.faults.is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let report = Report::of("loss\n1 2 3\nloss nan\nloss 1 a b\nok 1\n");
        assert_eq!(report.measured.len(), 1);
        let lines = report.faults.iter().map(|fault| fault.split(' ').nth(1).unwrap());
        assert_eq!(lines.collect::<Vec<_>>(), ["1", "2", "3", "4"]);
        assert_eq!(Report::of(&"x\n".repeat(1000)).faults.len(), MOST_FAULTS);
    }

    #[test]
    fn what_was_not_written_reports_nothing() {
        let folder = std::env::temp_dir();
        assert_eq!(Report::read(&folder.join("gpulint-no-such-report")), Report::default());
        assert_eq!(Report::read(&folder).faults, ["it cannot be read: it is not a file"]);
    }
}
