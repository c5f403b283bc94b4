//! Whatever is edited in a project, what is found with the memory of earlier checks is what a check finds that has none.

use super::Scratch;
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// What people do to files, as one step.
const EDITS: &[fn(&Path, &str)] = &[
    |file, text| fs::write(file, format!("# a line above all\n{text}")).unwrap(),
    |file, text| fs::write(file, format!("\n{text}")).unwrap(),
    |file, text| fs::write(file, text.replacen("\n\n", "\n", 2)).unwrap(),
    |file, text| fs::write(file, format!("{text}\n\n# a line below all\n")).unwrap(),
    |file, text| {
        fs::write(file, format!("{text}\n\ndef added():\n    import torch\n    torch.cuda.init()\n")).unwrap()
    },
    |file, text| fs::write(file, format!("{text}\nchanged = 1\n")).unwrap(),
    |file, text| fs::write(file, format!("{text}\nimport torch\n\ntorch.cuda.init()\n")).unwrap(),
    |file, text| {
        fs::write(file, format!("import os\n\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n{text}")).unwrap()
    },
    |file, text| fs::write(file, text.replace("    return ", "    changed = 1\n    return ")).unwrap(),
    |file, text| fs::write(file, text.replace("cuda:0", "cuda:1").replace("import torch\n", "")).unwrap(),
    |file, text| fs::write(file, format!("{text}\ndef (:\n")).unwrap(),
    |file, text| fs::write(file, &text[..text.len() / 2]).unwrap_or_default(),
    |file, _| fs::remove_file(file).unwrap(),
    |file, _| fs::rename(file, file.with_file_name("renamed.py")).unwrap(),
    |file, text| fs::write(file.with_file_name("added.py"), text).unwrap(),
];

#[test]
fn edited_projects_are_answered_as_without_a_memory() {
    let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects");
    let folders = fs::read_dir(projects).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> =
        folders.filter(|path| path.is_dir() && !path.ends_with("single")).collect();
    folders.sort();
    assert!(folders.len() > 100, "the projects are where they were");
    // Which of them are edited, and how, does not change when another comes.
    let number = |folder: &PathBuf| -> usize {
        folder.file_name().unwrap().as_encoded_bytes().iter().map(|&b| b as usize).sum()
    };
    let numbered = folders.into_par_iter().map(|folder| (number(&folder), folder));
    numbered.filter(|(number, _)| number % 3 == 0).for_each(|(number, folder)| edit(number / 3, &folder));
}

/// Edits one file after the other. Some stay edited, and each is then asked about alone and with all others.
fn edit(number: usize, folder: &Path) {
    let scratch = Scratch::new();
    fs::remove_dir_all(scratch.path("")).unwrap();
    copy(folder, &scratch.path(""));
    scratch.assert_true("before");
    let mut files = Vec::new();
    files_in(&scratch.path(""), &mut files);
    files.sort();
    for (step, file) in files.iter().enumerate().take(4) {
        // Without its policy a project is another one, and with a broken one it is none.
        let is_policy = file.ends_with("gpulint.yaml") || file.ends_with("pyproject.toml");
        let Some(text) = fs::read_to_string(file).ok().filter(|_| !is_policy) else { continue };
        let (step, end) = (number + step, text.len() / 2);
        let edit = EDITS[if text.is_char_boundary(end) { step % EDITS.len() } else { 0 }];
        edit(file, &text);
        let what = format!("{}: {step}", file.display());
        if file.exists() {
            let (kept, fresh) = scratch.both(|request| request.paths = vec![file.clone()]);
            assert_eq!(kept, fresh, "{what}, alone");
        }
        scratch.assert_true(&what);
        if step.is_multiple_of(2) {
            fs::write(file, &text).unwrap();
            let (kept, fresh) = scratch.both(|request| request.paths = vec![file.clone()]);
            assert_eq!(kept, fresh, "{what}, and back");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &copied),
            false => drop(fs::copy(&path, &copied).unwrap()),
        }
    }
}

fn files_in(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path().is_dir() {
            true => files_in(&entry.path(), files),
            false => files.push(entry.path()),
        }
    }
}
