//! What is wrong with a policy, in one sentence that names the place and the way out.
//!
//! The parsers report through serde, whose sentences are written for programmers. They are taken
//! apart here by their fixed beginnings, which serde keeps stable; a sentence that is not known is
//! passed on as it is.

use std::path::Path;

/// A policy, or a file that it names, that cannot be used. Shown as `gpulint.yaml:3: …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{}: {message}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct PolicyError {
    /// The file, relative to the current directory when it lies inside, or the text of the option.
    pub place: String,
    /// 1-based.
    pub line: Option<u32>,
    pub message: String,
}

impl PolicyError {
    pub fn in_file(file: &Path, line: Option<u32>, message: impl AsRef<str>) -> Self {
        let inside =
            std::env::current_dir().ok().and_then(|dir| file.strip_prefix(dir).ok().map(Path::to_owned));
        let shown = inside.filter(|path| path.components().next().is_some()).unwrap_or_else(|| file.into());
        PolicyError { place: shown.display().to_string(), line, message: one_line(message.as_ref()) }
    }

    /// In what the command line says.
    pub fn typed(message: impl AsRef<str>) -> Self {
        PolicyError { place: "--config".to_owned(), line: None, message: one_line(message.as_ref()) }
    }
}

/// Keys may hold line ends and escape sequences, which must not reach a terminal or a report.
fn one_line(message: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().collect() } else { c.to_string() };
    message.chars().map(escape).collect()
}

/// What serde says about a value, taken apart.
pub(super) enum Complaint<'a> {
    UnknownKey { key: &'a str, known: Vec<&'a str> },
    UnknownValue { value: &'a str, known: Vec<&'a str> },
    Wrong { found: &'a str, expected: &'a str },
    Twice { key: &'a str },
    Missing { key: &'a str },
}

impl<'a> Complaint<'a> {
    /// The dotted path before a complaint in `text` (empty at the top) and the complaint. `None`
    /// when serde did not write this.
    pub(super) fn read(text: &'a str) -> Option<(&'a str, Self)> {
        let begins = ["unknown field `", "unknown variant `", "invalid type: ", "invalid value: "];
        let begins = begins.into_iter().chain(["duplicate field `", "missing field `"]);
        let found = begins.filter_map(|begin| {
            let at = match text.starts_with(begin) {
                true => 0,
                false => text.find(&format!(": {begin}"))? + 2,
            };
            Some((at, begin))
        });
        let (at, begin) = found.min()?;
        let (path, rest) = (text[..at].trim_end_matches(": "), &text[at + begin.len()..]);
        let complaint = match begin {
            "duplicate field `" => Complaint::Twice { key: rest.strip_suffix('`')? },
            "missing field `" => Complaint::Missing { key: rest.strip_suffix('`')? },
            "unknown field `" | "unknown variant `" => {
                // What serde says last is its own, so a strange key cannot lead astray.
                let (name, known) = split_known(rest)?;
                match begin {
                    "unknown field `" => Complaint::UnknownKey { key: name, known },
                    _ => Complaint::UnknownValue { value: name, known },
                }
            }
            _ => {
                let (found, expected) = rest.rsplit_once(", expected ")?;
                Complaint::Wrong { found, expected }
            }
        };
        Some((path, complaint))
    }

    /// The sentence for people; `path` is the section or the value, empty at the top, where it is about `whole`.
    pub(super) fn sentence(&self, path: &str, whole: &str) -> String {
        let within = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
        let thing = if path.is_empty() { whole.to_owned() } else { format!("`{path}`") };
        match self {
            Complaint::UnknownKey { key, known } => {
                let hint = hint(key, known, "the keys there are");
                format!("unknown key `{key}`{within}; {hint}")
            }
            Complaint::UnknownValue { value, known } => {
                format!("{thing} cannot be `{value}`; {}", hint(value, known, "it is one of"))
            }
            // What serde calls the key of a mapping that has fixed ones.
            Complaint::Wrong { found, expected: "field identifier" } => {
                format!("a key{within} must be a word, not {}", plain_found(found))
            }
            Complaint::Wrong { found, expected } => {
                format!("{thing} must be {}, not {}", plain_expected(expected), plain_found(found))
            }
            Complaint::Twice { key } => format!("the key `{key}` stands twice{within}; remove one of them"),
            Complaint::Missing { key } => format!("{thing} lacks the key `{key}`"),
        }
    }
}

/// The nearest of the known names, or all of them when none is near.
fn hint(name: &str, known: &[&str], otherwise: &str) -> String {
    match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let all: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!("{otherwise} {}", all.join(", "))
        }
    }
}

/// The known name that someone who wrote `name` most likely meant.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let name = plain(name);
    let distance = |other: &str| {
        let other = plain(other);
        // `warn` for `warning`, `visible` for `visible-devices`, `targets-list` for `targets`.
        if name.len() >= 3 && (other.starts_with(&name) || name.starts_with(&other)) {
            return 1;
        }
        // Short words are near to everything: `gpu` is not a slip for `cpu`.
        if name.len() <= 3 && name.chars().next() != other.chars().next() {
            return usize::MAX;
        }
        strsim::damerau_levenshtein(&name, &other)
    };
    let far = (name.chars().count() / 3).max(1);
    let near = known.iter().map(|&other| (distance(other), other)).min_by_key(|&(far, _)| far);
    near.filter(|&(distance, _)| distance <= far).map(|(_, other)| other)
}

/// Splits "x`, expected one of `a`, `b`" into the name and the known ones.
fn split_known(rest: &str) -> Option<(&str, Vec<&str>)> {
    let ends = ["`, expected one of ", "`, expected `", "`, there are no "];
    let at = ends.iter().filter_map(|end| rest.rfind(end)).max()?;
    Some((&rest[..at], rest[at + 1..].split('`').skip(1).step_by(2).collect()))
}

fn plain_expected(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "a mapping",
        "a nonzero u32" => "a whole number above 0",
        "a boolean" => "`true` or `false`",
        "a YAML tag starting with '!'" => "one word",
        _ if expected.starts_with("struct ") => "a mapping",
        _ => expected,
    }
}

fn plain_found(found: &str) -> &str {
    match found {
        "sequence" => "a list",
        "map" => "a mapping",
        "unit value" | "null" => "empty",
        // integer `3`, string "x" and so on: the value itself is plain enough.
        _ => ["integer ", "string ", "boolean ", "floating point "]
            .iter()
            .find_map(|kind| found.strip_prefix(kind))
            // Serde says how it holds a number of more than 64 bits.
            .map(|value| value.trim_end_matches(" as u128").trim_end_matches(" as i128"))
            .unwrap_or(found),
    }
}
