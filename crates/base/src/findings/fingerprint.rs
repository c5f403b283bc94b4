//! Fingerprints: a short name for a finding that stays the same when code above it moves.
//!
//! Baselines and code-scanning services recognise an old finding by it. It is made of the rule, the
//! path, the text of the line and how many equal ones came before, and of nothing that an edit
//! elsewhere in the file, a formatter, a reworded message or another platform changes. One that speaks for the whole project
//! is known by its rule alone. Since stored
//! baselines hold fingerprints, changing what goes in is a breaking change.

use super::{Audience, Finding};
use crate::facts::{FileId, Span};
use crate::sources::Sources;
use rustc_hash::FxHashMap;

/// The fingerprint of each finding, in the order of `findings`: 16 hexadecimal digits.
///
/// All findings of the run belong in one call, hidden and suppressed ones too, since equal ones are
/// told apart by counting them from the top of the file.
pub fn fingerprints(findings: &[Finding], sources: &Sources) -> Vec<String> {
    marks(findings, sources).iter().map(|mark| mark.within(None)).collect()
}

/// What a fingerprint is made of.
pub(super) struct FingerprintInput<'a> {
    rule: &'a str,
    /// `None` for the whole project.
    path: Option<&'a str>,
    line: String,
    /// How many equal ones came before in the file.
    ordinal: u32,
}

impl FingerprintInput<'_> {
    /// The fingerprint, or what it was when the file lay at another path.
    pub(super) fn within(&self, other: Option<&str>) -> String {
        let path = self.path.map_or("", |own| other.unwrap_or(own));
        let kind = fnv1a([self.rule, path, &self.line]);
        format!("{:016x}", continue_fnv1a(kind, &self.ordinal.to_le_bytes()))
    }
}

pub(super) fn marks<'a>(findings: &'a [Finding], sources: &'a Sources) -> Vec<FingerprintInput<'a>> {
    let mut from_the_top: Vec<usize> = (0..findings.len()).collect();
    from_the_top.sort_by_key(|&at| (findings[at].place.file, findings[at].place.span));

    let mut seen: FxHashMap<(&str, FileId, String), u32> = FxHashMap::default();
    let mut ordinals = vec![0; findings.len()];
    for at in from_the_top {
        let finding = &findings[at];
        let alike = (finding.rule.as_str(), finding.place.file, line_of(finding, sources));
        let ordinal = seen.entry(alike).or_default();
        ordinals[at] = *ordinal;
        *ordinal += 1;
    }
    let mark = |(finding, ordinal): (&'a Finding, u32)| match finding.speaks {
        Audience::ForProject => {
            let line = finding.value("name").unwrap_or_default().to_owned();
            FingerprintInput { rule: &finding.rule, path: None, line, ordinal: 0 }
        }
        _ => FingerprintInput {
            rule: &finding.rule,
            path: Some(&sources.file(finding.place.file).name),
            line: line_of(finding, sources),
            ordinal,
        },
    };
    findings.iter().zip(ordinals).map(mark).collect()
}

/// The line that a finding begins on, without what formatters change: blanks, and the kind of quotes.
fn line_of(finding: &Finding, sources: &Sources) -> String {
    if finding.place.span == Span::default() {
        // About the whole file, whatever its first line says.
        return String::new();
    }
    let source = sources.file(finding.place.file);
    let line = source.line_text(source.line_column(finding.place.span.start).0);
    let kept = line.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}');
    kept.map(|c| if c == '\'' { '"' } else { c }).collect()
}

/// FNV-1a with 64 bits. The hashers of the standard library and of rustc-hash promise nothing about
/// the next release; these ten lines do.
fn fnv1a(parts: [&str; 3]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    parts.iter().fold(OFFSET_BASIS, |hash, part| {
        // A zero byte after each part keeps "ab" + "c" apart from "a" + "bc".
        continue_fnv1a(continue_fnv1a(hash, part.as_bytes()), &[0])
    })
}

fn continue_fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(continue_fnv1a(0xcbf2_9ce4_8422_2325, b"foobar"), 0x8594_4171_f739_67e8);
    }
}
