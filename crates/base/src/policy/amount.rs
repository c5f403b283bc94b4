//! Amounts of memory as people write them: a number and a unit.

use super::checked;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// An amount of memory in bytes, written as `20GiB` or `1.5 GB`. A number without a unit is refused,
/// because nobody means bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount {
    pub bytes: u64,
}

/// Largest last, so that the last one that divides an amount is the one to write it in.
const UNITS: [(&str, u64); 9] = [
    ("B", 1),
    ("KB", 1000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
];

const EXPECTED: &str = "an amount of memory such as `20GiB` (B, KB, MB, GB, TB, KiB, MiB, GiB or TiB)";

impl Amount {
    pub const fn mebibytes(count: u64) -> Self {
        Amount { bytes: count << 20 }
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = (&text[..unit_at], text[unit_at..].trim_start());
        let (_, factor) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
        if let Ok(whole) = number.parse::<u64>() {
            return Some(Amount { bytes: whole.checked_mul(*factor)? });
        }
        let bytes = number.parse::<f64>().ok()? * *factor as f64;
        (bytes < u64::MAX as f64).then_some(Amount { bytes: bytes.round() as u64 })
    }
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Amount, String> {
        Amount::parse(text).ok_or_else(|| format!("`{text}` is not {EXPECTED}"))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let divides = |factor: &u64| self.bytes.is_multiple_of(*factor);
        let (unit, factor) = match self.bytes {
            0 => UNITS[0],
            _ => *UNITS.iter().rev().find(|(_, factor)| divides(factor)).unwrap_or(&UNITS[0]),
        };
        write!(f, "{}{unit}", self.bytes / factor)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::text(from, EXPECTED, Amount::parse)
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An amount of memory: a number and a unit (B, KB, MB, GB, TB, KiB, MiB, GiB or TiB).",
            "type": "string",
            "pattern": r"^\s*[0-9.]+\s*([kKmMgGtT][iI]?)?[bB]\s*$",
        })
    }
}
