//! Writes what was fixed: each file in one step, and files that belong together all or none.

use super::super::super::say;
use crate::atomic_write::{remove_leftovers, replace_unchanged};
use crate::disk::Bounds;
use crate::facts::FileId;
use crate::fix_loop::{FixedProject, path_aliases};
use crate::rules::{RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::Sources;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Writes the files. One that cannot be written stays as it is, and so do those that are changed together with it; each is
/// told. Says also whether any stayed.
pub fn write(
    sources: &Sources,
    mut settled: FixedProject,
    (settings, rules): (&Settings, &RuleSet),
) -> Result<(FixedProject, bool), UnknownSelector> {
    let path = |file: &FileId| sources.file(*file).path.as_deref();
    remove_leftovers(settled.files.keys().filter_map(path));
    let mut failed = BTreeSet::new();
    for group in groups(&settled) {
        let mut written = Vec::new();
        for &file in &group {
            let Err(error) = place(sources, &settled, file, false) else {
                written.push(file);
                continue;
            };
            let name = &sources.file(file).name;
            say(format_args!("error: {name} is not fixed: {error}"));
            for other in written.drain(..) {
                let other_name = &sources.file(other).name;
                match place(sources, &settled, other, true) {
                    Ok(()) => say(format_args!(
                        "error: {other_name} is not fixed: its changes need those of {name}"
                    )),
                    Err(error) => say(format_args!(
                        "error: {other_name} has changes that need those of {name}, and keeps them: {error}"
                    )),
                }
            }
            failed.extend(group.iter().copied());
            break;
        }
    }
    if failed.is_empty() {
        return Ok((settled, false));
    }
    settled.files.retain(|file, _| !failed.contains(file));
    settled.applied.retain(|applied| !applied.files.iter().any(|file| failed.contains(file)));
    let mut written: FxHashMap<FileId, String> =
        settled.files.iter().map(|(file, content)| (*file, content.clone())).collect();
    for (file, others) in path_aliases(sources) {
        if let Some(content) = written.get(&file).cloned() {
            written.extend(others.into_iter().map(|other| (other, content.clone())));
        }
    }
    settled.sources = sources.with_edited(written);
    settled.outcome = crate::check(&settled.sources, settings, rules)?;
    for finding in &mut settled.outcome.findings {
        let touches = |file: &FileId| {
            let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
            edits.into_iter().any(|edit| edit.place.file == *file)
        };
        if failed.iter().any(touches) {
            (finding.fix, finding.unfixed) = (None, Some("the file could not be written".to_owned()));
        }
    }
    Ok((settled, true))
}

/// Puts the new content of a file in its place, or the old one back.
fn place(sources: &Sources, settled: &FixedProject, file: FileId, back: bool) -> io::Result<()> {
    let Some(path) = &sources.file(file).path else { return Ok(()) };
    let content = |contents: &BTreeMap<FileId, String>| contents.get(&file).cloned().unwrap_or_default();
    let (old, new) = (content(&settled.read), content(&settled.files));
    let (from, to) = if back { (new, old) } else { (old, new) };
    let target = Bounds::of(&sources.root).target(path)?;
    replace_unchanged(&target, from.as_bytes(), to.as_bytes())
}

/// The files that change, those together that one fix changes.
fn groups(settled: &FixedProject) -> Vec<Vec<FileId>> {
    let mut groups: Vec<BTreeSet<FileId>> = Vec::new();
    for applied in settled.applied.iter().filter(|applied| applied.files.len() > 1) {
        let mut group: BTreeSet<FileId> = applied.files.iter().copied().collect();
        groups.retain(|other| {
            let is_apart = group.is_disjoint(other);
            if !is_apart {
                group.extend(other);
            }
            is_apart
        });
        groups.push(group);
    }
    let grouped: BTreeSet<FileId> = groups.iter().flatten().copied().collect();
    let alone = settled.files.keys().filter(|file| !grouped.contains(file)).map(|file| vec![*file]);
    let together = groups.iter().map(|group| {
        group.iter().copied().filter(|file| settled.files.contains_key(file)).collect::<Vec<_>>()
    });
    let mut groups: Vec<Vec<FileId>> = alone.chain(together).filter(|group| !group.is_empty()).collect();
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Place, Span};
    use crate::findings::{Safety, Severity};
    use crate::fix_loop::Applied;
    use crate::sources::{Language, Source};
    use std::fs;
    use std::path::PathBuf;

    /// Three files, of which the fixes change the first two together and the third by itself.
    fn project(name: &str) -> (PathBuf, Sources, FixedProject) {
        let folder = std::env::temp_dir().join(format!("gpulint-writing-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let names = ["a.py", "b.py", "c.py"];
        let files = names.map(|name| {
            fs::write(folder.join(name), "old\n").unwrap();
            Source::new(Some(folder.join(name)), name.to_owned(), Language::Python, "old\n".to_owned())
        });
        let sources = Sources { root: folder.clone(), files: files.into(), ..Sources::default() };
        let applied = |files: &[u32]| Applied {
            rule: "a-rule".to_owned(),
            severity: Severity::Error,
            message: String::new(),
            title: String::new(),
            safety: Safety::Safe,
            was_found: true,
            place: Place { file: FileId(files[0]), span: Span::default() },
            files: files.iter().copied().map(FileId).collect(),
        };
        let contents = |text: &str| (0..3).map(|file| (FileId(file), text.to_owned())).collect();
        let settled = FixedProject {
            sources: sources.clone(),
            outcome: crate::Outcome::default(),
            files: contents("new\n"),
            read: contents("old\n"),
            is_final: true,
            fixed_indirectly: 0,
            applied: vec![applied(&[0, 1]), applied(&[2])],
            dropped: Vec::new(),
        };
        (folder, sources, settled)
    }

    #[test]
    fn files_that_belong_together_are_written_all_or_none() {
        let settings = Settings::default();
        for (locked, expected) in [
            ("none", ["new\n"; 3]),
            ("b.py", ["old\n", "old\n", "new\n"]),
            ("c.py", ["new\n", "new\n", "old\n"]),
        ] {
            let (folder, sources, settled) = project(&locked.replace('.', "-"));
            if locked != "none" {
                let mut permissions = fs::metadata(folder.join(locked)).unwrap().permissions();
                permissions.set_readonly(true);
                fs::set_permissions(folder.join(locked), permissions).unwrap();
            }
            let (settled, is_partial) =
                write(&sources, settled, (&settings, RuleSet::embedded())).expect("known rules");
            let texts = ["a.py", "b.py", "c.py"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
            assert_eq!(texts, expected, "{locked}");
            assert_eq!(is_partial, locked != "none");
            let written = expected.iter().filter(|text| **text == "new\n").count();
            assert_eq!(settled.files.len(), written);
            assert_eq!(settled.applied.len(), if locked == "none" { 2 } else { 1 });
            let _ = fs::remove_dir_all(folder);
        }
    }
}
