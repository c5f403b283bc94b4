//! By what something is known again that earlier runs saw.

use super::{Language, Source};
use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::fmt;
use std::hash::Hash;
use std::path::Path;

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

    /// Of a file as it is read, whoever asks for it, wherever its project lies.
    pub fn of_file(source: &Source, root: &Path) -> Digest {
        let Source { path, name, language, text, cells, .. } = source;
        // The name of a package of Rust may be that of the folder which the project lies in.
        let is_whole = *language == Language::Rust;
        let path =
            path.as_deref().map(|path| if is_whole { path } else { path.strip_prefix(root).unwrap_or(path) });
        Digest::of(&(path, name, language, text, cells))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0, self.1)
    }
}
