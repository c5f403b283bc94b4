//! What happened to cards and concerns all processes: XIDs, which NVML delivers as events, and cards that are lost.

use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Something that the kernel module reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// The UUID of the card.
    pub card: String,
    pub xid: u64,
}

/// All of them, in the order in which they happened.
#[derive(Debug)]
pub struct Incidents {
    folder: PathBuf,
}

impl Incidents {
    pub fn new(folder: &Path) -> Incidents {
        Incidents { folder: folder.to_path_buf() }
    }

    pub fn report(&self, incident: &Incident) -> io::Result<()> {
        let mut line = serde_json::to_vec(incident)?;
        line.push(b'\n');
        OpenOptions::new().append(true).create(true).open(self.folder.join("incidents"))?.write_all(&line)
    }

    pub fn so_far(&self) -> Vec<Incident> {
        let text = fs::read_to_string(self.folder.join("incidents")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub fn lose(&self, card: &str) -> io::Result<()> {
        fs::write(self.folder.join(format!("lost-{card}")), "")
    }

    pub fn is_lost(&self, card: &str) -> bool {
        self.folder.join(format!("lost-{card}")).exists()
    }
}
