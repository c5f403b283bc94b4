//! What is wrong with the text of a policy, from what the YAML and TOML parsers say about it.

use super::error::{Complaint, PolicyError};
use std::path::Path;

/// What the file of a policy holds.
pub(super) const THE_POLICY: &str = "the policy";

/// What is wrong with a text, not yet knowing in which file it stands.
pub(super) struct Problem {
    pub line: Option<u32>,
    pub message: String,
}

impl Problem {
    pub(super) fn in_file(self, file: &Path) -> PolicyError {
        PolicyError::in_file(file, self.line, self.message)
    }
}

/// `whole` is what the file holds: "the policy".
pub(super) fn yaml_problem(text: &str, whole: &str, error: &serde_yaml::Error) -> Problem {
    let at = error.location().map(|at| (at.line(), at.column()));
    // At the end of the file the parser stands on a line that no editor shows.
    let last = text.lines().count().max(1);
    let mut line = at.map(|(line, _)| line.min(last) as u32);
    let said = without_position(error);
    let message = match Complaint::read(&said) {
        Some((path, complaint)) => {
            // serde notices a second key when the mapping is built, and names the mapping's start.
            if let (Complaint::Twice { key }, Some((start, column))) = (&complaint, at) {
                line = line_of_second(text, key, start, column).or(line);
            }
            complaint.sentence(path, whole)
        }
        None if said.contains("more than one document") => {
            line = line_of_second_document(text);
            "holds more than one YAML document; keep one".into()
        }
        None => format!("is not valid YAML: {said}"),
    };
    Problem { line, message }
}

/// What the YAML parser says, without the position that stands before the message already.
pub(super) fn without_position(error: &serde_yaml::Error) -> String {
    let said = error.to_string();
    match error.location() {
        Some(at) => said.replacen(&format!(" at line {} column {}", at.line(), at.column()), "", 1),
        None => said,
    }
}

pub(super) fn toml_problem(text: &str, mut error: toml::de::Error) -> Problem {
    let line = error.span().map(|span| {
        let before = &text.as_bytes()[..span.start.min(text.len())];
        memchr::memchr_iter(b'\n', before).count() as u32 + 1
    });
    let said = error.message().to_owned();
    // The path is only in the text of an error that does not know its input.
    error.set_input(None);
    let whole = error.to_string();
    let path = whole.trim_end().rsplit_once("\nin `").map_or("", |(_, path)| path.trim_end_matches('`'));
    let message = match Complaint::read(&said) {
        Some((_, complaint)) => complaint.sentence(path, THE_POLICY),
        // Of enumerations, in words of its own.
        None if said == "wanted string or table" => format!("`{path}` must be one word"),
        None => format!("is not valid TOML: {said}"),
    };
    Problem { line, message }
}

/// The 1-based line on which `key` stands for the second time in the block mapping that starts at
/// this line and column.
fn line_of_second(text: &str, key: &str, start: usize, column: usize) -> Option<u32> {
    let names_key = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let rest = line.trim_start().trim_start_matches(['"', '\'']);
        let rest = rest.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
        indent + 1 == column && rest.is_some_and(|rest| rest.starts_with(':'))
    };
    let lines = text.lines().enumerate().skip(start - 1);
    lines.filter(|(_, line)| names_key(line)).nth(1).map(|(at, _)| at as u32 + 1)
}

/// The 1-based line of the `---` that starts the second document.
fn line_of_second_document(text: &str) -> Option<u32> {
    let mut content = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("---") && content {
            return Some(at as u32 + 1);
        }
        content |= !line.trim().is_empty() && !line.starts_with(['#', '%']);
    }
    None
}
