//! The file of lines. Each line is written at once and by itself, so that a process that is killed leaves all that it said.

use super::lines::Line;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// What a profile writes down.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Appends to the file, and makes it if it is not there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(file: &Path) -> io::Result<Journal> {
        Ok(Journal { file: OpenOptions::new().append(true).create(true).open(file)? })
    }

    /// # Errors
    /// When the file cannot be written.
    pub fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        // In one piece: whoever reads meanwhile finds whole lines.
        self.file.write_all(&text)?;
        self.file.flush()
    }
}
