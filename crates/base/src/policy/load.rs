//! Reads one policy file: YAML, or the `[tool.gpulint]` table of a TOML file.

use super::problem::{Problem, THE_POLICY, toml_problem, yaml_problem};
use super::{Policy, PolicyError};
use crate::disk::{Disk, Refused, absolute, refused};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::Path;

/// Larger files are refused unread: a policy is a page of text.
const MAX_BYTES: u64 = 1 << 20;
/// Of a `pyproject.toml`, which others write to as well.
const MAX_TOML_BYTES: u64 = 16 << 20;
/// The YAML parser needs time that grows with the square of the nesting of brackets (half a minute
/// for 256 KiB of them). All are counted, not the open ones, which quotes and comments would hide.
const MAX_BRACKETS: usize = 10_000;

/// The policy in `file`. A file whose name ends in `.toml` must have a `[tool.gpulint]` table; any
/// other is read as YAML, and an empty one is the empty policy.
pub fn load(disk: &Disk, file: &Path) -> Result<Policy, PolicyError> {
    if !is_toml(file) {
        return from_yaml(&read(disk, file)?).map_err(|problem| problem.in_file(file));
    }
    let policy = from_toml(&read(disk, file)?).map_err(|problem| problem.in_file(file))?;
    policy.ok_or_else(|| {
        PolicyError::in_file(file, None, "has no [tool.gpulint] table; add one or name another file")
    })
}

/// The policy in the text of a YAML file that need not exist yet.
pub fn read_text(file: &Path, text: &str) -> Result<Policy, PolicyError> {
    from_yaml(text).map_err(|problem| problem.in_file(file))
}

/// The policy in a `pyproject.toml`, or `None` when the file is not about gpulint. A file that never
/// says its name need not even be valid.
pub(super) fn load_pyproject(disk: &Disk, file: &Path) -> Result<Option<Policy>, PolicyError> {
    let bytes = read_bytes(disk, file, MAX_TOML_BYTES)?;
    if memchr::memmem::find(&bytes, b"gpulint").is_none() {
        return Ok(None);
    }
    let text = decoded(file, bytes)?;
    from_toml(&text).map_err(|problem| problem.in_file(file))
}

/// What a policy file says, without what it leaves to its defaults. It was read as a policy before.
pub(super) fn written(disk: &Disk, file: &Path) -> Result<serde_yaml::Value, PolicyError> {
    let text = read(disk, file)?;
    let refuse = |message: String| PolicyError::in_file(file, None, message);
    if !is_toml(file) {
        let value = serde_yaml::from_str(&text).map_err(|error| refuse(error.to_string()))?;
        // A file of comments says nothing.
        return Ok(if value == serde_yaml::Value::Null { serde_yaml::Mapping::new().into() } else { value });
    }
    let table = text.parse::<toml::Table>().unwrap_or_default();
    let own = table.get("tool").and_then(|tool| tool.get("gpulint")).cloned();
    let own = own.unwrap_or_else(|| toml::Table::new().into());
    serde_yaml::to_value(own).map_err(|error| refuse(error.to_string()))
}

/// The policy that a value stands for.
pub(super) fn from_value(value: serde_yaml::Value) -> Result<Policy, String> {
    serde_yaml::from_value(value).map_err(|error| error.to_string())
}

/// The first line (1-based) of `file` on which `word` stands by itself and not in a comment line.
/// For complaints about values that only another part of the program can judge, such as rule ids.
pub fn line_naming(disk: &Disk, file: &Path, word: &str) -> Option<u32> {
    let text = read(disk, file).ok()?;
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let stands_alone = |line: &str| {
        line.match_indices(word).any(|(at, _)| {
            let after = &line[at + word.len()..];
            !line[..at].ends_with(joins) && !after.starts_with(joins)
        })
    };
    let at = text.lines().position(|line| !line.trim_start().starts_with('#') && stands_alone(line))?;
    Some(at as u32 + 1)
}

/// Another file in YAML that the policy names; `whole` is what it holds, such as "the rule".
pub fn load_named<T: DeserializeOwned>(disk: &Disk, file: &Path, whole: &str) -> Result<T, PolicyError> {
    parsed(&read(disk, file)?, whole).map_err(|problem| problem.in_file(file))
}

pub(super) fn from_yaml(text: &str) -> Result<Policy, Problem> {
    parsed(text, THE_POLICY)
}

fn parsed<T: DeserializeOwned>(text: &str, whole: &str) -> Result<T, Problem> {
    if memchr::memchr2_iter(b'[', b'{', text.as_bytes()).nth(MAX_BRACKETS).is_some() {
        let message = format!("has more than {MAX_BRACKETS} brackets, which nobody writes");
        return Err(Problem { line: None, message });
    }
    serde_yaml::from_str(text).map_err(|error| yaml_problem(text, whole, &error))
}

/// `None` when there is no `[tool.gpulint]` table.
fn from_toml(text: &str) -> Result<Option<Policy>, Problem> {
    #[derive(Deserialize)]
    struct PyProject {
        tool: Option<Tool>,
    }
    #[derive(Deserialize)]
    struct Tool {
        gpulint: Option<Policy>,
    }
    let document: PyProject = toml::from_str(text).map_err(|error| toml_problem(text, error))?;
    Ok(document.tool.and_then(|tool| tool.gpulint))
}

pub(super) fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

fn read(disk: &Disk, file: &Path) -> Result<String, PolicyError> {
    let limit = if is_toml(file) { MAX_TOML_BYTES } else { MAX_BYTES };
    decoded(file, read_bytes(disk, file, limit)?)
}

fn read_bytes(disk: &Disk, file: &Path, limit: u64) -> Result<Vec<u8>, PolicyError> {
    let refuse = |message: String| PolicyError::in_file(file, None, message);
    // Told apart from other failures here because the systems name it differently.
    let place = absolute(file);
    if disk.is_folder(&place) {
        return Err(refuse("is a directory; name a policy file".into()));
    }
    match disk.read(&place, limit) {
        Ok(bytes) if bytes.len() as u64 > limit => {
            Err(refuse(format!("is larger than {} MiB, which no policy and no rule is", limit >> 20)))
        }
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(refuse("does not exist".into())),
        Err(error) => Err(refuse(match refused(&error) {
            // Nothing of what it leads to is read, let alone shown.
            Some(Refused::Outside) => {
                "leads outside of the project; put the file itself there, or name it on the command line"
                    .into()
            }
            Some(Refused::NotRegular) => "is no regular file; put one there".into(),
            None => format!("cannot be read ({error})"),
        })),
    }
}

fn decoded(file: &Path, bytes: Vec<u8>) -> Result<String, PolicyError> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = memchr::memchr_iter(b'\n', valid).count() as u32 + 1;
            Err(PolicyError::in_file(file, Some(line), "is not valid UTF-8; save the file as UTF-8"))
        }
    }
}
