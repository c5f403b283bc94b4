//! Files in which tools of Python projects keep their settings.

use crate::disk::Disk;
use anyhow::{Context, bail};
use std::path::Path;
use toml::{Table, Value};

/// Nobody writes more by hand, in bytes.
const MOST: u64 = 1 << 20;

/// The text of a file of the folder, `None` where there is none.
pub(super) fn text(folder: &Path, name: &str) -> anyhow::Result<Option<String>> {
    let file = folder.join(name);
    let disk = Disk::default();
    if !disk.is_file(&file) {
        return Ok(None);
    }
    let text = disk.read(&file, MOST).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

/// A TOML file of the folder.
pub(super) fn toml(folder: &Path, name: &str) -> anyhow::Result<Option<Table>> {
    let Some(text) = text(folder, name)? else { return Ok(None) };
    match text.parse::<Table>() {
        Ok(table) => Ok(Some(table)),
        Err(error) => {
            let before = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count() + 1;
            bail!(
                "{name}:{line} is not valid TOML: {}; mend it, or name the tools to read with --from=TOOLS",
                error.message()
            )
        }
    }
}

/// What stands in `pyproject.toml` below `tool` for this tool.
pub(super) fn pyproject(folder: &Path, tool: &str) -> anyhow::Result<Option<Table>> {
    let whole = toml(folder, "pyproject.toml")?;
    Ok(whole.and_then(|whole| table(&whole, &["tool", tool]).cloned()))
}

/// The table below these keys.
pub(super) fn table<'t>(table: &'t Table, keys: &[&str]) -> Option<&'t Table> {
    keys.iter().try_fold(table, |table, key| table.get(*key)?.as_table())
}

/// The texts of a value: one, or a list of them.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
