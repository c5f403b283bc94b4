//! Values that are checked at the moment they are read.
//!
//! A check after the fact would be reported at the section around the value; inside a visitor the
//! parser still knows the value's own line and path.

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads text that `parse` understands; `expected` completes "it must be …".
pub(super) fn text<'de, D: Deserializer<'de>, T>(
    from: D,
    expected: &'static str,
    parse: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    from.deserialize_str(Text { expected, parse })
}

/// Reads a list in which `fault` finds nothing; a fault completes "it must be …, not …".
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
    expected: &'static str,
    fault: fn(&[T]) -> Option<String>,
) -> Result<Vec<T>, D::Error> {
    from.deserialize_seq(List { expected, fault, item: PhantomData })
}

struct Text<T> {
    expected: &'static str,
    parse: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

struct List<T> {
    expected: &'static str,
    fault: fn(&[T]) -> Option<String>,
    item: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        match (self.fault)(&items) {
            None => Ok(items),
            Some(found) => Err(A::Error::invalid_value(Unexpected::Other(&found), &self)),
        }
    }
}
