//! `--config KEY=VALUE`: single settings from the command line, on top of the policy file.

use super::problem::without_position;
use super::{Policy, PolicyError, load};
use serde_yaml::{Mapping, Value};
use std::path::Path;

/// The policy with each `KEY=VALUE` applied, later ones winning. A key is a dotted path (a part with
/// a dot in it stands in double quotes), a value is YAML and replaces what was there.
pub fn apply_overrides(policy: Policy, options: &[String]) -> Result<Policy, PolicyError> {
    options.iter().try_fold(policy, |policy, option| {
        applied(policy, option).map_err(|message| PolicyError {
            place: format!("--config {option}"),
            line: None,
            message,
        })
    })
}

/// Whether the argument of `--config` is a `KEY=VALUE` and not the name of a file.
pub fn is_override(argument: &str) -> bool {
    argument.contains('=') && !Path::new(argument).is_file()
}

fn applied(policy: Policy, option: &str) -> Result<Policy, String> {
    let (key, value) = option.split_once('=').ok_or("is neither a file nor KEY=VALUE")?;
    let path = parts(key).ok_or("needs a dotted path such as `gpu.name` before `=`")?;
    if path[0] == "extends" {
        return Err(
            "`extends` counts in a policy file only; write it there, or name the file with `--config FILE`"
                .into(),
        );
    }
    let value: Value = serde_yaml::from_str(value)
        .map_err(|error| format!("the value is not YAML: {}", without_position(&error)))?;

    // Alone first, as a policy with this one line: so errors name the path as they do for files.
    let mut alone = Value::Mapping(Mapping::new());
    set(&mut alone, &path, value.clone());
    let text = serde_yaml::to_string(&alone).map_err(|error| error.to_string())?;
    load::from_yaml(&text).map_err(|problem| problem.message)?;

    let mut whole = serde_yaml::to_value(&policy).map_err(|error| error.to_string())?;
    set(&mut whole, &path, value);
    serde_yaml::from_value(whole).map_err(|error| error.to_string())
}

/// No setting lies deeper; longer paths are refused so that they need no stack.
const MAX_PARTS: usize = 8;

/// `rules.per-path."a.py".ignore` as its four parts; `None` when one of them is empty or there are
/// more than any setting has.
fn parts(key: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in key.trim().chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            c => parts.last_mut()?.push(c),
        }
    }
    (parts.len() <= MAX_PARTS && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

fn set(at: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *at = value;
        return;
    };
    if !at.is_mapping() {
        *at = Value::Mapping(Mapping::new());
    }
    if let Some(mapping) = at.as_mapping_mut() {
        let entry = mapping.entry(Value::String(first.clone())).or_insert(Value::Null);
        set(entry, rest, value);
    }
}
