//! By what an outcome is known again, and by what the memory of a project is: digests of everything that decides them.

use crate::rules::Loaded;
use crate::settings::Settings;
use crate::sources::{Digest, Sources};
use rayon::prelude::*;
use std::path::Path;

/// What tells one check from another.
pub struct Keys {
    /// Of this very check.
    pub check: Digest,
    /// Of all checks of files with these names, under the same policy.
    pub project: Digest,
    /// Of each file.
    pub files: Vec<Digest>,
}

/// The keys of a check; `None` when the program cannot tell which one it is.
pub fn of(sources: &Sources, settings: &Settings, rules: &Loaded) -> Option<Keys> {
    let of_file = |source| Digest::of_file(source, &sources.root);
    let files: Vec<Digest> = sources.files.par_iter().map(of_file).collect();
    // The state of the files is in their texts, and in what is asked beside them.
    let Settings {
        root,
        policy,
        policy_file,
        machine_files,
        origins: _,
        policy_files: _,
        folder,
        others: _,
        disk: _,
        mode,
        select,
        ignore,
        // Which files are reported is in the files.
        exclude: _,
        process_ends: _,
        min_severity,
    } = settings;
    let policy = serde_json::to_string(policy).ok()?;
    // Paths count from the root: elsewhere the same project comes to the same.
    let below = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let others = settings.others_in_words().replace(&root.display().to_string(), "");
    let (folder, policy_file) = (folder.as_deref().map(below), policy_file.as_deref().map(below));
    let settings = ((policy, folder, others), policy_file, machine_files, mode, select, ignore, min_severity);
    // The embedded rules are part of the program.
    let own_rules = match rules {
        Loaded::Embedded(_) => None,
        Loaded::WithOwn(rules) => Some(format!("{:?}", rules.rules())),
    };
    let common = Digest::of(&(THIS_PROGRAM, settings, own_rules, below(&sources.root)));
    let names: Vec<_> = sources.files.iter().map(|source| (&source.name, source.language)).collect();
    let reported: Vec<bool> = sources.files.iter().map(|source| source.reported).collect();
    Some(Keys {
        check: Digest::of(&(common, &sources.skipped, &files, reported)),
        project: Digest::of(&(common, names)),
        files,
    })
}

/// What tells one gpulint from another, whenever and wherever it was installed: version, source and system.
const THIS_PROGRAM: [&str; 4] =
    [env!("CARGO_PKG_VERSION"), env!("GPULINT_SOURCE"), std::env::consts::OS, std::env::consts::ARCH];
