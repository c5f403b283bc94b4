//! Inputs that somebody hands in, code and what stands beside it, broken on purpose: what `fuzz/` does with each, done here with changes of good ones. They are
//! the same in each run. A longer one, and one input alone:
//!
//! ```text
//! GPULINT_HARD_INPUTS=600 cargo test --test library hard_inputs -- --nocapture
//! GPULINT_HARD_INPUTS=600 GPULINT_HARD_INPUT=policy GPULINT_HARD_FROM=1000000 cargo test --test library hard_inputs -- --nocapture
//! ```
//!
//! The last variable is the number of the first change, so that another run makes others.

use crate::inputs::INPUTS;
use crate::numbers::Numbers;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Changes of each kind of input without a longer run.
const CHANGES: u64 = 60;

#[test]
fn whatever_is_handed_in_comes_to_its_end() {
    let seconds = std::env::var("GPULINT_HARD_INPUTS").ok().map(|text| text.parse().expect("seconds"));
    let wanted = std::env::var("GPULINT_HARD_INPUT").ok();
    let from: u64 = std::env::var("GPULINT_HARD_FROM").map_or(0, |text| text.parse().expect("a number"));
    let chosen: Vec<_> =
        INPUTS.iter().filter(|(name, _)| wanted.as_ref().is_none_or(|wanted| wanted == name)).collect();
    assert!(!chosen.is_empty(), "{wanted:?} is none of them");
    let time = seconds.map(|seconds| Duration::from_secs(seconds) / chosen.len() as u32);
    let mut failures = Vec::new();
    let pieces = pieces();
    for (name, input) in chosen {
        let seeds = seeds_of(name);
        assert!(seeds.len() > 2, "{name}: {} seeds", seeds.len());
        let began = Instant::now();
        let mut tried = from;
        let goes_on = |tried: u64| match time {
            Some(time) => began.elapsed() < time,
            None => tried - from < CHANGES,
        };
        while goes_on(tried) {
            let mut numbers =
                Numbers(0x9e37_79b9_7f4a_7c15 ^ (tried + 1).wrapping_mul(7919) ^ name.len() as u64);
            let bytes = changed(&seeds, &pieces, &mut numbers);
            tried += 1;
            if catch_unwind(AssertUnwindSafe(|| input(&bytes))).is_err() {
                let kept = std::env::temp_dir().join(format!("gpulint-{name}-{tried}"));
                std::fs::write(&kept, &bytes).expect("the temporary folder is writable");
                failures.push(format!("{name}: change {tried}, kept in {}", kept.display()));
                if failures.len() > 20 {
                    break;
                }
            }
        }
        let count = tried - from;
        println!("{name}: {count} inputs of {} seeds in {:.1} s", seeds.len(), began.elapsed().as_secs_f64());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What was once found stays mended.
#[test]
fn what_was_found_stays_mended() {
    let folder = in_repository("tests/hard_inputs");
    let mut count = 0;
    for path in files_in(&folder) {
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some((name, _)) = file.split_once('.') else { continue };
        let (_, input) = INPUTS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{file}"));
        input(&std::fs::read(&path).expect("readable"));
        count += 1;
    }
    assert!(count > 0, "there is none in {}", folder.display());
}

/// Good ones: those kept for this input, and files of the tests and the rules, as `fuzz/seeds.json` has them.
fn seeds_of(name: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read(in_repository("fuzz/seeds.json")).expect("readable");
    let table: BTreeMap<String, (String, String)> =
        serde_json::from_slice(&text).expect("an object of pairs");
    let (folder, ending) = table.get(name).unwrap_or_else(|| panic!("{name} has no seeds"));
    let files = files_in(&in_repository(folder)).into_iter();
    let files = files.filter(|path| path.to_string_lossy().ends_with(ending));
    files.map(|path| std::fs::read(path).expect("readable")).filter(|bytes| bytes.len() < 4_000).collect()
}

/// What is put in: the dictionary of the fuzzer, each line a text in quotation marks with `\\`, `\"` and `\xNN`.
fn pieces() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(in_repository("fuzz/pieces.dict")).expect("readable");
    let quoted = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted
        .map(|line| {
            let mut piece = Vec::new();
            let mut rest = line.as_bytes();
            while let Some((&byte, after)) = rest.split_first() {
                rest = after;
                match (byte, rest) {
                    (b'\\', [b'x', digits @ ..]) => {
                        let digits = std::str::from_utf8(&digits[..2]).expect("two digits");
                        piece.push(u8::from_str_radix(digits, 16).expect("two digits"));
                        rest = &rest[3..];
                    }
                    (b'\\', [byte, after @ ..]) => {
                        piece.push(*byte);
                        rest = after;
                    }
                    _ => piece.push(byte),
                }
            }
            piece
        })
        .collect()
}

/// One of them, with some changes.
fn changed(seeds: &[Vec<u8>], pieces: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seeds[numbers.below(seeds.len())].clone();
    for _ in 0..=numbers.below(5) {
        let at = numbers.below(bytes.len() + 1);
        let end = (at + numbers.below(24)).min(bytes.len());
        match numbers.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let part = bytes[at..end].to_vec();
                let to = numbers.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            2 => {
                let other = &seeds[numbers.below(seeds.len())];
                let from = numbers.below(other.len() + 1);
                let until = (from + numbers.below(80)).min(other.len());
                bytes.splice(at..at, other[from..until].to_vec());
            }
            3 if at < bytes.len() => bytes[at] = numbers.below(256) as u8,
            _ => drop(bytes.splice(at..at, pieces[numbers.below(pieces.len())].iter().copied())),
        }
    }
    bytes
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect()
}
