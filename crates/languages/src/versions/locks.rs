//! Lock files, which may be large: one package is looked up in their text, and nothing else of them is read.

use memchr::memmem;

/// Files in which a tool wrote down all versions that it chose.
const LOCKS: &[&str] = &["uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock"];

/// Whether a file of this name holds versions that a tool chose.
pub fn is_lock(name: &str) -> bool {
    LOCKS.contains(&name) || (name.starts_with("pylock.") && name.ends_with(".toml"))
}

/// The versions of a package in a lock file: several where it depends on the platform.
pub fn versions_in<'t>(text: &'t str, package: &str) -> Vec<&'t str> {
    if text.trim_start().starts_with('{') {
        return in_pipfile_lock(text, package).into_iter().collect();
    }
    // `[[package]]`, then `name = "torch"`, then `version = "2.5.1"`, each on a line of its own.
    let named = format!("\nname = \"{package}\"");
    let found = memmem::find_iter(text.as_bytes(), named.as_bytes());
    let table = |at: usize| {
        let lines = text[at + 1..].lines().take_while(|line| !line.starts_with('['));
        lines.filter_map(|line| line.strip_prefix("version = \"")?.split('"').next()).next()
    };
    found.filter_map(table).collect()
}

/// `"torch": {"hashes": […], "version": "==2.5.1"}`
fn in_pipfile_lock<'t>(text: &'t str, package: &str) -> Option<&'t str> {
    let at = text.find(&format!("\"{package}\": {{"))?;
    let table = text[at..].split('}').next()?;
    let version = table.split("\"version\": \"==").nth(1)?;
    version.split('"').next()
}
