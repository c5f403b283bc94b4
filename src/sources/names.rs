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
}
