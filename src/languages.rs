//! Front-ends: the text of one file becomes [`Code`].

mod python;

use crate::code::Code;
use crate::sources::{Language, Source};

/// Why a file could not be read as its language, in one clause.
pub type Refusal = String;

/// The code of one file, borrowing from its text.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    match source.language {
        Language::Python => python::lower(&source.text),
    }
}
