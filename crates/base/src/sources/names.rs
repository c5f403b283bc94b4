//! Names of files as reports show them: relative to the project root, with `/` on every platform.

use std::path::{Component, Path};

/// `path` as seen from `root`; both are absolute. A path that is elsewhere starts with `../`. What is
/// not UTF-8 in it is shown with stand-ins.
pub fn relative(root: &Path, path: &Path) -> String {
    let (mut from, mut to) = (root.components().peekable(), path.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    // On another drive there is no way from here to there.
    if from.clone().any(|part| matches!(part, Component::Prefix(_))) {
        return path.to_string_lossy().replace('\\', "/");
    }
    let up = from.filter(|part| matches!(part, Component::Normal(_))).map(|_| "..".into());
    let down = to.map(|part| part.as_os_str().to_string_lossy());
    let parts: Vec<_> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// A path below the project root, without `.` and `..`; `None` when it leaves it.
pub fn normalised(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a file, by its name in the project; the root is the empty name.
pub fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder with one of these is a project in Python.
pub const PROJECT_FILES: &[&str] = &["pyproject.toml", "requirements.txt", "setup.cfg", "setup.py"];

/// The last part of a path: the name of a file without its folders.
pub fn file_name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_seen_from_the_root() {
        let name = |path: &str| relative(Path::new("/repo/app"), Path::new(path));
        assert_eq!(name("/repo/app/a/b.py"), "a/b.py");
        assert_eq!(name("/repo/app"), ".");
        assert_eq!(name("/repo/other.py"), "../other.py");
        assert_eq!(name("/tmp/x.py"), "../../tmp/x.py");
        assert_eq!(relative(Path::new("/"), Path::new("/x.py")), "x.py");
    }

    #[test]
    fn paths_stay_in_the_project() {
        assert_eq!(normalised("scripts", "../train.py").as_deref(), Some("train.py"));
        assert_eq!(normalised("", "./a//b.py").as_deref(), Some("a/b.py"));
        assert_eq!(normalised("a", "../../b.py"), None);
    }
}
