//! Compiled caches that the project carries along.

use crate::facts::{FileId, Span};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::{Source, file_name_of, folder_of};

/// The file itself, when it is the index of a cache, or machine code without one beside it.
pub(super) fn that_numba_left(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let own = &scope.program.sources.file(scope.file).name;
    let is_index = |name: &str| name.ends_with(".nbi");
    let beside = |(number, other): (FileId, &Source)| {
        number != scope.file && is_index(&other.name) && folder_of(&other.name) == folder_of(own)
    };
    if !is_index(own) && scope.program.every_file().any(beside) {
        return Vec::new();
    }
    let name = file_name_of(own);
    vec![RawFinding::at(scope.place(Span::default())).word("file", name)]
}
