//! Build script: embeds every file of this folder, so that adding a rule is adding a file. They are turned into JSON here,
//! since every run reads them all, and JSON is read many times as fast as YAML.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // Else cargo looks at all files here, and those that are no rules would count.
    println!("cargo::rerun-if-changed=embed.rs");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // Most changes are of the code, and reading the rules takes longer than all else here.
    let (target, known) = (out.join("rules.rs"), out.join("rules.number"));
    let number = number_of(files.iter().map(PathBuf::as_path)).to_string();
    if target.exists() && fs::read_to_string(&known).is_ok_and(|known| known == number) {
        return;
    }
    let mut code = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        let (rule, examples) = json_of(file);
        writeln!(code, "    ({name:?}, {rule:?}, {examples:?}),").expect("a string");
    }
    code.push(']');
    fs::write(target, code).expect("OUT_DIR is writable");
    fs::write(known, number).expect("OUT_DIR is writable");
}

/// Of names and contents.
fn number_of<'a>(files: impl Iterator<Item = &'a Path>) -> u64 {
    let top = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut hasher = DefaultHasher::new();
    for file in files {
        let name = file.strip_prefix(&top).unwrap_or(file).to_string_lossy().replace('\\', "/");
        (name, fs::read(file).expect("the source is readable")).hash(&mut hasher);
    }
    hasher.finish()
}

/// What a file says, and the examples that it has; few runs look at those.
fn json_of(file: &Path) -> (String, String) {
    let text = fs::read_to_string(file).expect("rules/ is readable");
    let mut value: serde_yaml::Value =
        serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let none = serde_yaml::Value::Sequence(Vec::new());
    let examples = value.get_mut("examples").map_or(none.clone(), |all| std::mem::replace(all, none));
    let json = |value: &serde_yaml::Value| {
        serde_json::to_string(value).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    (json(&value), json(&examples))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("rules/ is readable") {
        let path = entry.expect("rules/ is readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
}
