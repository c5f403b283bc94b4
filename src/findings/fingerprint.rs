//! Fingerprints: a short name for a finding that stays the same when code above it moves.
//!
//! Baselines and code-scanning services recognise an old finding by it. It is made of the rule, the
//! path, the text of the line and how many equal ones came before, and of nothing that an edit
//! elsewhere in the file, a reworded message or another platform changes. Since stored baselines hold
//! fingerprints, changing what goes in is a breaking change.

use super::Finding;
use crate::sources::Sources;
use rustc_hash::FxHashMap;

/// The fingerprint of each finding, in the order of `findings`: 16 hexadecimal digits.
///
/// All findings of the run belong in one call, hidden and suppressed ones too, since equal ones are
/// told apart by counting them from the top of the file.
pub fn fingerprints(findings: &[Finding], sources: &Sources) -> Vec<String> {
    let mut from_the_top: Vec<usize> = (0..findings.len()).collect();
    from_the_top.sort_by_key(|&at| (findings[at].place.file, findings[at].place.span));

    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    let mut fingerprints = vec![String::new(); findings.len()];
    for at in from_the_top {
        let finding = &findings[at];
        let source = sources.file(finding.place.file);
        let line = source.line_text(source.line_column(finding.place.span.start).0);
        let line = line.trim_start_matches('\u{feff}').trim();
        let kind = fnv1a([finding.rule.as_str(), source.name.as_str(), line]);
        let ordinal = seen.entry(kind).or_default();
        fingerprints[at] = format!("{:016x}", continue_fnv1a(kind, &ordinal.to_le_bytes()));
        *ordinal += 1;
    }
    fingerprints
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
