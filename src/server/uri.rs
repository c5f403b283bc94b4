//! Names of documents as editors write them, `file:///srv/me/train%20it.py`, and the paths that they stand for.

use crate::disk::absolute;
use std::path::{Path, PathBuf};

/// What the name of a document stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedDocument {
    File(PathBuf),
    /// What was never saved: the editor's own name for it.
    Untitled(String),
    /// A view of something, such as an older version. It is not checked.
    Other,
}

impl NamedDocument {
    pub fn of(uri: &str) -> NamedDocument {
        let Some((scheme, rest)) = uri.split_once(':') else { return NamedDocument::Other };
        match scheme.to_ascii_lowercase().as_str() {
            "file" => match path_text(rest, cfg!(windows)).and_then(path_of_bytes) {
                Some(path) => NamedDocument::File(absolute(&path)),
                None => NamedDocument::Other,
            },
            "untitled" => NamedDocument::Untitled(String::from_utf8_lossy(&decoded(uri)).into_owned()),
            _ => NamedDocument::Other,
        }
    }

    pub fn path(&self) -> Option<&Path> {
        match self {
            NamedDocument::File(path) => Some(path),
            _ => None,
        }
    }
}

/// The URI of a file.
pub fn of_path(path: &Path) -> String {
    of_path_bytes(path.as_os_str().as_encoded_bytes(), cfg!(windows))
}

/// What stands behind `file:` as the bytes of an absolute path, in the manner of the system.
fn path_text(rest: &str, windows: bool) -> Option<Vec<u8>> {
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/')?),
        None => ("", rest),
    };
    let host = if host.eq_ignore_ascii_case("localhost") { "" } else { host };
    let path = decoded(path);
    if path.contains(&0) || !path.starts_with(b"/") {
        return None;
    }
    if !windows {
        return host.is_empty().then_some(path);
    }
    let slashes = |bytes: &[u8]| bytes.iter().map(|&byte| if byte == b'/' { b'\\' } else { byte }).collect();
    match (host, path.as_slice()) {
        ("", [b'/', drive, b':', rest @ ..]) if drive.is_ascii_alphabetic() => {
            // Editors write the letter in either case; it is one file.
            let mut path = vec![drive.to_ascii_uppercase(), b':'];
            path.extend::<Vec<u8>>(slashes(if rest.is_empty() { b"/" } else { rest }));
            Some(path)
        }
        ("", _) => None,
        (host, path) => Some([b"\\\\", host.as_bytes(), &slashes(path) as &Vec<u8>].concat()),
    }
}

fn of_path_bytes(path: &[u8], windows: bool) -> String {
    let mut uri = String::from("file://");
    // `\\?\` only says that the path is meant literally.
    let path = if windows { path.strip_prefix(br"\\?\").unwrap_or(path) } else { path };
    let path = match windows.then(|| path.strip_prefix(br"\\")).flatten() {
        Some(share) => share,
        None if windows => {
            uri.push('/');
            path
        }
        None => path,
    };
    for &byte in path {
        match byte {
            b'\\' if windows => uri.push('/'),
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte as char),
            byte if byte.is_ascii_alphanumeric() => uri.push(byte as char),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&byte| (byte as char).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(unix)]
fn path_of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(uri: &str, windows: bool) -> Option<String> {
        let bytes = path_text(uri.strip_prefix("file:").unwrap(), windows)?;
        Some(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn files_of_unix() {
        let path = |uri| path(uri, false);
        assert_eq!(path("file:///srv/me/a%20b.py").as_deref(), Some("/srv/me/a b.py"));
        assert_eq!(path("file://localhost/x.py").as_deref(), Some("/x.py"));
        assert_eq!(path("file:/x.py").as_deref(), Some("/x.py"));
        assert_eq!(path("file:///%C3%A9%2B100%.py#L3").as_deref(), Some("/é+100%.py"));
        assert_eq!(path("file://server/share/x.py"), None, "another machine");
        assert_eq!(path("file:///a%00b"), None);
        assert_eq!(path("file://"), None);
    }

    #[test]
    fn files_of_windows() {
        let path = |uri| path(uri, true);
        assert_eq!(path("file:///c%3A/Users/me/a%20b.py").as_deref(), Some(r"C:\Users\me\a b.py"));
        assert_eq!(path("file:///C:/x.py").as_deref(), Some(r"C:\x.py"));
        assert_eq!(path("file:///d:").as_deref(), Some(r"D:\"));
        assert_eq!(path("file://server/share/x.py").as_deref(), Some(r"\\server\share\x.py"));
        assert_eq!(path("file:///srv/me/x.py"), None);
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(of_path_bytes("/srv/é/a b#.py".as_bytes(), false), "file:///srv/%C3%A9/a%20b%23.py");
        assert_eq!(of_path_bytes(br"C:\Users\me\x.py", true), "file:///C%3A/Users/me/x.py");
        assert_eq!(of_path_bytes(br"\\server\share\x.py", true), "file://server/share/x.py");
        assert_eq!(of_path_bytes(br"\\?\C:\x.py", true), "file:///C%3A/x.py");
    }

    #[test]
    fn there_and_back_is_the_same_path() {
        for text in ["/a b/ü+%20#?.py", "/x", "/a/~b_c-d.py"] {
            assert_eq!(path(&of_path_bytes(text.as_bytes(), false), false).as_deref(), Some(text));
        }
        for text in [r"C:\a b\ü%20.py", r"\\server\share\x.py"] {
            assert_eq!(path(&of_path_bytes(text.as_bytes(), true), true).as_deref(), Some(text));
        }
    }

    #[test]
    fn other_names() {
        assert_eq!(
            NamedDocument::of("untitled:Untitled-1"),
            NamedDocument::Untitled("untitled:Untitled-1".into())
        );
        assert_eq!(NamedDocument::of("git:/x.py?HEAD"), NamedDocument::Other);
        assert_eq!(NamedDocument::of("nonsense"), NamedDocument::Other);
        assert_eq!(NamedDocument::of(""), NamedDocument::Other);
    }
}
