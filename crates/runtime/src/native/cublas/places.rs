//! Where cuBLAS may be: where the system finds libraries, and in the packages of the Python that a person uses. Python itself is
//! not asked; folders are looked at.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// What the library is called, the newest first.
#[cfg(windows)]
pub const NAMES: [&str; 2] = ["cublas64_13.dll", "cublas64_12.dll"];
#[cfg(not(windows))]
pub const NAMES: [&str; 2] = ["libcublas.so.13", "libcublas.so.12"];

/// Where NVIDIA's packages for Python put it: those of CUDA 13, and those before.
#[cfg(windows)]
const FOLDERS: [&str; 2] = ["nvidia/cu13/bin/x86_64", "nvidia/cublas/bin"];
#[cfg(not(windows))]
const FOLDERS: [&str; 2] = ["nvidia/cu13/lib", "nvidia/cublas/lib"];

/// All of them, in the order in which they are tried: that of the environment in use is the one that a person's programs use.
/// Names without a folder are looked up by the system.
pub fn places() -> Vec<PathBuf> {
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let mut places: Vec<PathBuf> = named.flat_map(|prefix| in_prefix(&prefix)).collect();
    places.extend(NAMES.iter().map(PathBuf::from));
    places.extend(prefixes_on_path().iter().flat_map(|prefix| in_prefix(prefix)));
    // Relative folders are those of whoever prepared this one.
    places.retain(|place| place.is_absolute() || place.components().count() == 1);
    places
}

/// What the first Python of the search path belongs to: an environment, or where it was installed.
fn prefixes_on_path() -> Vec<PathBuf> {
    let programs: &[&str] = if cfg!(windows) { &["python.exe"] } else { &["python3", "python"] };
    let path = env::var_os("PATH").unwrap_or_default();
    let mut all =
        env::split_paths(&path).flat_map(|folder| programs.iter().map(move |name| folder.join(name)));
    let Some(python) = all.find(|program| program.is_file()) else { return Vec::new() };
    let resolved = python.canonicalize().ok();
    let up = if cfg!(windows) { 1 } else { 2 };
    let prefix = |program: &Path| program.ancestors().nth(up).map(Path::to_path_buf);
    prefix(&python).into_iter().chain(resolved.as_deref().and_then(prefix)).collect()
}

/// The files in the packages of one installation of Python.
fn in_prefix(prefix: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for packages in package_folders(prefix) {
        for folder in FOLDERS {
            let files = NAMES.iter().map(|name| packages.join(folder).join(name));
            found.extend(files.filter(|file| file.is_file()));
        }
    }
    found
}

fn package_folders(prefix: &Path) -> Vec<PathBuf> {
    if cfg!(windows) {
        return vec![prefix.join("Lib").join("site-packages")];
    }
    let libraries = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let is_python = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("python3"))
    };
    let mut versions: Vec<PathBuf> = libraries.map(|entry| entry.path()).filter(is_python).collect();
    versions.sort_unstable();
    let of = |version: &PathBuf| [version.join("site-packages"), version.join("dist-packages")];
    versions.iter().rev().flat_map(of).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn packages_of_an_environment() {
        let prefix = env::temp_dir().join(format!("gpulint-cublas-{}", std::process::id()));
        let old = prefix.join("lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12");
        let new = prefix.join("lib/python3.12/site-packages/nvidia/cu13/lib/libcublas.so.13");
        for file in [&old, &new] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let found = in_prefix(&prefix);
        fs::remove_dir_all(&prefix).unwrap();
        assert_eq!(found, [new, old]);
        assert!(in_prefix(&prefix).is_empty());
    }

    #[test]
    fn the_system_is_asked_too() {
        let places = places();
        assert!(NAMES.iter().all(|name| places.contains(&PathBuf::from(name))));
        assert!(
            places
                .iter()
                .all(|place| place.is_absolute() || NAMES.iter().any(|name| place == Path::new(name)))
        );
    }
}
