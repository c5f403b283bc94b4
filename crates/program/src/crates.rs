//! Files of a Rust crate ↔ its modules, by where they lie: `mod gpu;` in `src/main.rs` is `src/gpu.rs` or
//! `src/gpu/mod.rs`.

use crate::code::CratePath;
use crate::facts::FileId;
use crate::sources::{Language, Sources, folder_of};
use rustc_hash::FxHashMap;

/// The Rust files of the project, by name.
#[derive(Default)]
pub struct Crates {
    files: FxHashMap<String, FileId>,
}

/// Folders whose files are crates of their own.
const ROOT_FOLDERS: &[&str] = &["benches", "bin", "examples", "tests"];

/// Files that are crates, or modules named like their folder.
const ROOTS: &[&str] = &["build.rs", "lib.rs", "main.rs", "mod.rs"];

impl Crates {
    pub fn new(sources: &Sources) -> Crates {
        let files = sources.files.iter().enumerate();
        let rust = files.filter(|(_, source)| source.language == Language::Rust);
        Crates { files: rust.map(|(index, source)| (source.name.clone(), FileId(index as u32))).collect() }
    }

    /// The file that a path leads to from the file of this name.
    pub fn file(&self, name: &str, path: &CratePath<'_>) -> Option<FileId> {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        match path {
            CratePath::Child(child) => {
                let stem = file.strip_suffix(".rs").unwrap_or(file);
                let own = if is_root(folder, file) { folder.to_owned() } else { joined(folder, stem) };
                self.any(&[joined(&own, &format!("{child}.rs")), joined(&own, &format!("{child}/mod.rs"))])
            }
            CratePath::Parent => {
                let of = if file == "mod.rs" { folder_of(folder) } else { folder };
                let beside = if of.is_empty() { Vec::new() } else { vec![format!("{of}.rs")] };
                self.any(&[roots_in(of), beside].concat())
            }
            CratePath::Root => {
                let folders = std::iter::successors(Some(folder), |folder| {
                    (!folder.is_empty()).then(|| folder_of(folder))
                });
                folders
                    .into_iter()
                    .find_map(|folder| self.any(&["lib.rs", "main.rs"].map(|root| joined(folder, root))))
            }
            CratePath::Library => {
                let own = ["src", "examples", "tests", "benches"];
                let mut above = folder;
                while !own.contains(&above.rsplit('/').next().unwrap_or(above)) {
                    if above.is_empty() {
                        return None;
                    }
                    above = folder_of(above);
                }
                self.any(&[joined(folder_of(above), "src/lib.rs")])
            }
        }
    }

    fn any(&self, names: &[String]) -> Option<FileId> {
        names.iter().find_map(|name| self.files.get(name).copied())
    }
}

/// The files that may be the module of a folder.
fn roots_in(folder: &str) -> Vec<String> {
    ["mod.rs", "lib.rs", "main.rs"].iter().map(|root| joined(folder, root)).collect()
}

/// Whether the modules of a file lie beside it, and not in a folder of its name.
fn is_root(folder: &str, file: &str) -> bool {
    ROOTS.contains(&file) || ROOT_FOLDERS.contains(&folder.rsplit('/').next().unwrap_or(folder))
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_lie_where_cargo_looks() {
        let names = [
            "app/src/main.rs",
            "app/src/lib.rs",
            "app/src/gpu.rs",
            "app/src/gpu/pool.rs",
            "app/src/net/mod.rs",
            "app/src/bin/tool.rs",
            "app/examples/demo.rs",
            "app/tests/common/mod.rs",
            "app/tests/it.rs",
        ];
        let numbered =
            names.iter().enumerate().map(|(index, name)| ((*name).to_owned(), FileId(index as u32)));
        let crates = Crates { files: numbered.collect() };
        let leads = |from: &str, path| crates.file(from, &path).map(|file| names[file.0 as usize]);
        assert_eq!(leads("app/src/main.rs", CratePath::Child("gpu")), Some("app/src/gpu.rs"));
        assert_eq!(leads("app/src/gpu.rs", CratePath::Child("pool")), Some("app/src/gpu/pool.rs"));
        assert_eq!(leads("app/src/main.rs", CratePath::Child("net")), Some("app/src/net/mod.rs"));
        assert_eq!(leads("app/tests/it.rs", CratePath::Child("common")), Some("app/tests/common/mod.rs"));
        assert_eq!(leads("app/src/gpu/pool.rs", CratePath::Parent), Some("app/src/gpu.rs"));
        assert_eq!(leads("app/src/gpu.rs", CratePath::Parent), Some("app/src/lib.rs"));
        assert_eq!(leads("app/src/gpu/pool.rs", CratePath::Root), Some("app/src/lib.rs"));
        assert_eq!(leads("app/examples/demo.rs", CratePath::Library), Some("app/src/lib.rs"));
        assert_eq!(leads("app/src/main.rs", CratePath::Child("none")), None);
        assert_eq!(leads("lib.rs", CratePath::Library), None);
    }
}
