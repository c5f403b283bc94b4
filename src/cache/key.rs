//! By what an outcome is known again, and by what the memory of a project is: digests of everything that decides them.

use crate::rules::Loaded;
use crate::settings::Settings;
use crate::sources::{Digest, Sources};
use rayon::prelude::*;
use std::hash::Hash;

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
    let files: Vec<Digest> = sources.files.par_iter().map(Digest::of_file).collect();
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
    let others = settings.others_in_words();
    let settings =
        (root, (policy, folder, others), policy_file, machine_files, mode, select, ignore, min_severity);
    // The embedded rules are part of the program.
    let own_rules = match rules {
        Loaded::Embedded(_) => None,
        Loaded::WithOwn(rules) => Some(format!("{:?}", rules.rules())),
    };
    let common = Digest::of(&(this_program()?, settings, own_rules, &sources.root));
    let names: Vec<_> = sources.files.iter().map(|source| (&source.name, source.language)).collect();
    let reported: Vec<bool> = sources.files.iter().map(|source| source.reported).collect();
    Some(Keys {
        check: Digest::of(&(common, &sources.skipped, &files, reported)),
        project: Digest::of(&(common, names)),
        files,
    })
}

/// The version, and for those who build their own what tells one build from the next.
fn this_program() -> Option<impl Hash> {
    let file = std::env::current_exe().ok()?;
    let metadata = file.metadata().ok()?;
    Some((env!("CARGO_PKG_VERSION"), metadata.len(), metadata.modified().ok()?, file))
}
