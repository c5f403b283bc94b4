//! The log of calls: one line of JSON for each call of either library. Who must not touch a GPU is held against it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub pid: u32,
    pub symbol: String,
    /// All variables of the process, at `cuInit` only: what the driver saw, whatever was set later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<BTreeMap<String, String>>,
}

/// Where calls are written.
#[derive(Debug)]
pub struct CallLog(Option<File>);

impl CallLog {
    /// Appends to the file; without one, nothing is written.
    pub fn new(file: Option<&Path>) -> CallLog {
        CallLog(file.and_then(|file| OpenOptions::new().append(true).create(true).open(file).ok()))
    }

    pub fn write(&self, symbol: &str) {
        let Some(mut file) = self.0.as_ref() else { return };
        let environment = (symbol == "cuInit").then(|| {
            let variables = std::env::vars_os();
            let text = |part: std::ffi::OsString| part.to_string_lossy().into_owned();
            variables.map(|(name, value)| (text(name), text(value))).collect()
        });
        let call = Call { pid: std::process::id(), symbol: symbol.to_owned(), environment };
        let Ok(mut line) = serde_json::to_vec(&call) else { return };
        line.push(b'\n');
        // In one piece, so that lines of other processes do not come between.
        let _ = file.write_all(&line);
    }

    /// The calls in a file; none if it is not there.
    pub fn read(file: &Path) -> Vec<Call> {
        let text = fs::read_to_string(file).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}
