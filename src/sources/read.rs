//! Reads the text of one file, or says in one clause why not.

use super::walk::{Wanted, is_python_name, reason};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Larger files are data, whatever their names say.
pub const MAX_BYTES: u64 = 16 << 20;

/// A longer first line is no shebang that a system would accept.
const SHEBANG_BYTES: u64 = 256;

const NOT_PYTHON: &str = "not Python by its name or its first line";

/// The text of a Python file; `None` for a file below a named folder that turns out to be something
/// else.
pub fn file(path: &Path, wanted: Wanted) -> Result<Option<String>, String> {
    let named = wanted == Wanted::Named;
    let is_python = is_python_name(path);
    // Looked at before it is opened: opening a pipe waits for a writer.
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(_) if !is_python && !named => return Ok(None),
        Err(error) => return Err(reason(&error)),
    };
    if !metadata.is_file() {
        return if is_python || named { Err("not a regular file".to_owned()) } else { Ok(None) };
    }
    if is_python && metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    match bytes_of(path, is_python, metadata.len()) {
        Ok(Some(bytes)) => decoded(bytes).map(Some),
        Ok(None) if named => Err(not_python(path)),
        Ok(None) => Ok(None),
        Err(_) if !is_python && !named => Ok(None),
        Err(error) => Err(reason(&error)),
    }
}

/// The text that came from standard input in the place of the file `path`.
pub fn text_of(path: Option<&Path>, bytes: Vec<u8>) -> Result<String, String> {
    match path {
        Some(path) if !is_python_name(path) && !has_python_shebang(&bytes) => Err(not_python(path)),
        _ => decoded(bytes),
    }
}

/// `None` for a file whose name does not say that it is Python, and whose first line does not either.
fn bytes_of(path: &Path, is_python: bool, length: u64) -> io::Result<Option<Vec<u8>>> {
    let mut open = File::open(path)?;
    let mut bytes = Vec::new();
    if !is_python {
        (&mut open).take(SHEBANG_BYTES).read_to_end(&mut bytes)?;
        if !has_python_shebang(&bytes) {
            return Ok(None);
        }
    }
    bytes.reserve_exact((length.min(MAX_BYTES) as usize + 1).saturating_sub(bytes.len()));
    // One byte more, so that a file that is too large, or has grown, is noticed.
    open.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn decoded(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|_| "not valid UTF-8".to_owned())
}

fn has_python_shebang(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"#!") && memchr::memmem::find(line, b"python").is_some()
}

fn too_large() -> String {
    format!("larger than {} MiB", MAX_BYTES >> 20)
}

fn not_python(path: &Path) -> String {
    match path.extension() {
        Some(extension) if extension == "pyi" => "a type stub, which no program runs".to_owned(),
        _ => NOT_PYTHON.to_owned(),
    }
}
