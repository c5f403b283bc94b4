//! One JSON object for each finding, on a line of its own, for programs that read line by line.

use super::Report;
use super::json::entries;
use std::io::Write;

/// Each line is an element of `findings` in the JSON report.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    for entry in entries(report) {
        serde_json::to_writer(&mut *out, &entry)?;
        writeln!(out)?;
    }
    Ok(())
}
