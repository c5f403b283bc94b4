//! A test for the project: that importing its packages leaves the GPU alone.

use crate::disk::names_in;
use std::path::Path;

/// Folders with Python that nobody imports from elsewhere.
const ASIDE: [&str; 10] =
    ["tests", "test", "testing", "docs", "doc", "examples", "example", "benchmarks", "scripts", "tools"];

/// Where the test belongs in a project.
pub fn file(folder: &Path) -> &'static str {
    let is_there = |name: &str| folder.join(name).is_dir();
    match is_there("test") && !is_there("tests") {
        true => "test/test_import_leaves_gpu_alone.py",
        false => "tests/test_import_leaves_gpu_alone.py",
    }
}

/// The test, for these modules.
pub fn text(modules: &[String]) -> String {
    let modules = serde_json::Value::from(modules).to_string().replace("\",\"", "\", \"");
    include_str!("import_test/template.py").replace("@MODULES@", &modules)
}

/// The packages of a project, which lie at its top or in `src`.
pub fn packages(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for top in [folder.to_owned(), folder.join("src")] {
        for name in names_in(&top).unwrap_or_default() {
            let Ok(name) = name.into_string() else { continue };
            let is_package = top.join(&name).join("__init__.py").is_file();
            if is_package && !ASIDE.contains(&name.as_str()) && name != "src" {
                found.push(name);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}
