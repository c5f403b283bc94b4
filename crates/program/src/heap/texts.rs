//! Texts that are known.

use crate::facts::Place;
use std::borrow::Cow;

#[derive(Debug)]
pub struct Text<'p> {
    pub text: Cow<'p, str>,
    /// Where the literal stands that this text comes from.
    pub place: Place,
    pub member: TextMember,
}

/// Whether a text is the member of an enumeration, and how that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMember {
    No,
    /// `str()` gives what it holds, `repr()` does not: of a `StrEnum`.
    ShowsValue,
    /// `str()` gives its name, a format one of the two.
    ShowsName,
}
