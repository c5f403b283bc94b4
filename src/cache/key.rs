//! By what an outcome is known again: a digest of everything that decides it.

use crate::rules::Loaded;
use crate::settings::Settings;
use crate::sources::{Source, Sources};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::fmt;
use std::hash::Hash;

/// 128 bits that stand for a value: no two values of a user's projects have the same by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Digest(u64, u64);

impl Digest {
    pub fn of<T: Hash + ?Sized>(value: &T) -> Digest {
        Digest::made_by(|hasher| value.hash(hasher))
    }

    pub fn made_by(hash: impl FnOnce(&mut SipHasher13)) -> Digest {
        let mut hasher = SipHasher13::new();
        hash(&mut hasher);
        let digest = hasher.finish128();
        Digest(digest.h1, digest.h2)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0, self.1)
    }
}

/// The key of a check; `None` when the program cannot tell which one it is.
pub fn of(sources: &Sources, settings: &Settings, rules: &Loaded) -> Option<Digest> {
    let files: Vec<Digest> = sources.files.par_iter().map(digest_of).collect();
    let Settings { root, policy, policy_file, mode, select, ignore, process_ends: _, min_severity } =
        settings;
    let policy = serde_json::to_string(policy).ok()?;
    let settings = (root, policy, policy_file, mode, select, ignore, min_severity);
    // The embedded rules are part of the program.
    let own_rules = match rules {
        Loaded::Embedded(_) => None,
        Loaded::WithOwn(rules) => Some(format!("{:?}", rules.rules())),
    };
    Some(Digest::of(&(this_program()?, settings, own_rules, &sources.root, &sources.skipped, files)))
}

fn digest_of(source: &Source) -> Digest {
    let Source { path, name, language, text, cells, reported, .. } = source;
    Digest::of(&(path, name, language, text, cells, reported))
}

/// The version, and for those who build their own what tells one build from the next.
fn this_program() -> Option<impl Hash> {
    let file = std::env::current_exe().ok()?;
    let metadata = file.metadata().ok()?;
    Some((env!("CARGO_PKG_VERSION"), metadata.len(), metadata.modified().ok()?, file))
}
