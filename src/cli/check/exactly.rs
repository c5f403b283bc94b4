//! What goes to standard output as it is: a patch, or standard input with its fixes.

use super::super::say;
use crate::report::commands::{Form, harmless};
use crate::report::printable;
use std::io::{self, IsTerminal, Write};

/// Writes a text as it is, past the stream that takes escape sequences out. A terminal is shown stand-ins for them, and the
/// log of a workflow for what would be a command there.
pub fn write_exactly(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let shown = String::from_utf8_lossy(text);
    if on_github() && !is_file(&out) && harmless(&shown, Form::Plain) != shown {
        say(
            "note: lines that would be commands of the workflow stand in other characters; write to a file to keep them",
        );
        out.write_all(harmless(&shown, Form::Plain).as_bytes())?;
        return out.flush();
    }
    if io::stdout().is_terminal() {
        for line in shown.split_inclusive('\n') {
            let end = if line.ends_with('\n') { "\n" } else { "" };
            let shown = line.trim_end_matches(['\r', '\n']).split('\t').map(printable);
            write!(out, "{}{end}", shown.collect::<Vec<_>>().join("\t"))?;
        }
    } else {
        out.write_all(text)?;
    }
    out.flush()
}

pub fn on_github() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Whether standard output goes to a file, which nobody looks through for commands.
fn is_file(out: &io::StdoutLock<'_>) -> bool {
    #[cfg(unix)]
    {
        let found = rustix::fs::fstat(out).map(|found| rustix::fs::FileType::from_raw_mode(found.st_mode));
        found == Ok(rustix::fs::FileType::RegularFile)
    }
    #[cfg(not(unix))]
    {
        let _ = out;
        false
    }
}
