//! What a process adds to a file while it runs, each line once, and not all of it at once: a command may write faster than
//! anybody reads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// So much is read at one look. A line that is longer is told in pieces.
const LOOK: u64 = 64 * 1024;

pub struct Tail {
    path: PathBuf,
    /// Opened when it is there.
    file: Option<File>,
    told: u64,
}

impl Tail {
    pub fn of(path: PathBuf) -> Tail {
        Tail { path, file: None, told: 0 }
    }

    /// The lines that are new, without those that are not complete. Nothing when they cannot be read.
    pub fn lines(&mut self) -> Vec<String> {
        let bytes = self.fresh().unwrap_or_default();
        let complete = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if bytes.len() as u64 == LOOK => bytes.len(),
            None => 0,
        };
        self.told += complete as u64;
        let text = String::from_utf8_lossy(bytes.get(..complete).unwrap_or_default());
        text.lines().map(str::to_owned).collect()
    }

    fn fresh(&mut self) -> io::Result<Vec<u8>> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(&self.path)?),
        };
        if file.metadata()?.len() <= self.told {
            return Ok(Vec::new());
        }
        file.seek(SeekFrom::Start(self.told))?;
        let mut bytes = Vec::new();
        file.take(LOOK).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(purpose: &str) -> PathBuf {
        let file = std::env::temp_dir().join(format!("gpulint-tail-{purpose}-{}", std::process::id()));
        let _ = std::fs::remove_file(&file);
        file
    }

    #[test]
    fn each_line_is_told_once() {
        let path = file("once");
        let mut tail = Tail::of(path.clone());
        assert!(tail.lines().is_empty(), "there is no file yet");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\n\xff\xfe\ntw").unwrap();
        assert_eq!(tail.lines(), ["one", "\u{fffd}\u{fffd}"]);
        assert!(tail.lines().is_empty(), "half a line");
        file.write_all(b"o\nthree\n").unwrap();
        assert_eq!(tail.lines(), ["two", "three"]);
        assert!(tail.lines().is_empty());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn much_is_read_in_pieces_and_ends() {
        let path = file("pieces");
        std::fs::write(&path, [vec![b'x'; 3 * LOOK as usize], b"\nend\n".to_vec()].concat()).unwrap();
        let mut tail = Tail::of(path.clone());
        let pieces: Vec<String> = (0..4).flat_map(|_| tail.lines()).collect();
        assert_eq!(pieces.iter().map(String::len).sum::<usize>(), 3 * LOOK as usize + 3);
        assert_eq!(pieces.last().map(String::as_str), Some("end"));
        assert!(tail.lines().is_empty());
        std::fs::remove_file(path).unwrap();
    }
}
