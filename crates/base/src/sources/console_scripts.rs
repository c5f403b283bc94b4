//! The functions that installed commands start: `[project.scripts]` and Poetry's scripts in a `pyproject.toml`, and
//! `console_scripts` in a `setup.cfg` or `setup.py`.

use super::{Sources, file_name_of};
use regex::Regex;
use std::sync::LazyLock;

/// Modules, and the functions in them that are started. A file that cannot be read names none.
pub fn console_scripts(sources: &Sources) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for source in &sources.files {
        match file_name_of(&source.name) {
            "pyproject.toml" => found.extend(in_pyproject(&source.text)),
            "setup.cfg" => found.extend(in_setup(&source.text, "\n[")),
            "setup.py" => found.extend(in_setup(&source.text, "]")),
            _ => {}
        }
    }
    found
}

fn in_pyproject(text: &str) -> Vec<(String, String)> {
    let table = text.parse::<toml::Table>().unwrap_or_default();
    let at = |path: &[&str]| {
        let mut keys = path.iter();
        let first = table.get(*keys.next()?)?;
        keys.try_fold(first, |value, key| value.get(*key))?.as_table()
    };
    let tables =
        [at(&["project", "scripts"]), at(&["project", "gui-scripts"]), at(&["tool", "poetry", "scripts"])];
    let targets = tables.into_iter().flatten().flat_map(|table| table.values());
    let named = targets.filter_map(|target| target.as_str()?.split_once(':'));
    named.map(|(module, function)| (module.trim().to_owned(), function.trim().to_owned())).collect()
}

/// `console_scripts = [ "train = tool.train:main" ]`, or in lines of their own; what is listed ends with `end`.
fn in_setup(text: &str, end: &str) -> Vec<(String, String)> {
    static TARGET: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"=\s*([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_][\w.]*)").ok());
    let Some(target) = TARGET.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for kind in ["console_scripts", "gui_scripts"] {
        let Some((_, listed)) = text.split_once(kind) else { continue };
        let listed = listed.split(end).next().unwrap_or_default();
        let targets = target.captures_iter(listed).map(|target| target.extract());
        found.extend(targets.map(|(_, [module, function])| (module.to_owned(), function.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(module: &str, function: &str) -> (String, String) {
        (module.to_owned(), function.to_owned())
    }

    #[test]
    fn each_form() {
        let text = "[project.scripts]\ntrain = 'tool.train:main'\n[tool.poetry.scripts]\nserve = 'tool.web : app.run'\n";
        assert_eq!(in_pyproject(text), [pair("tool.train", "main"), pair("tool.web", "app.run")]);
        let text = "[options.entry_points]\nconsole_scripts =\n    train = tool.train:main\n    serve=tool.web:run\n[tool:pytest]\nx = a:b\n";
        assert_eq!(in_setup(text, "\n["), [pair("tool.train", "main"), pair("tool.web", "run")]);
        let text = "setup(entry_points={'console_scripts': ['train=tool.train:main', 'serve = tool.web:run'], 'other': ['a=b:c']})";
        assert_eq!(in_setup(text, "]"), [pair("tool.train", "main"), pair("tool.web", "run")]);
        assert_eq!(in_pyproject("no table"), []);
    }
}
