//! Files that somebody cut, joined or filled with bytes: whatever is in them, a run ends, and says what it could not
//! read. The inputs are the labelled cases, damaged in ways that a seed decides.

use gpulint::rules::RuleSet;
use gpulint::settings::Settings;
use gpulint::sources::{Language, Source, Sources};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// Endings of the files that are damaged, and how many damaged ones are made of each: so many times more where GPULINT_ROUNDS
/// says so.
const ENDINGS: [(&str, u64); 3] = [("ipynb", 4), ("md", 14), ("rs", 8)];

fn rounds(each: u64) -> u64 {
    each * std::env::var("GPULINT_ROUNDS").map_or(1, |text| text.parse::<u64>().expect("a number"))
}

#[test]
fn damaged_files_are_read_to_their_end() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects"), &mut files);
    files.par_iter().enumerate().for_each(|(number, file)| {
        let ending = file.extension().unwrap_or_default();
        let Some((_, each)) = ENDINGS.iter().find(|(known, _)| ending == *known) else { return };
        let text = fs::read(file).expect("readable");
        for round in 0..rounds(*each) {
            let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (number as u64) << 20 ^ round);
            let damaged = damage(&text, &mut dice);
            check(file, String::from_utf8_lossy(&damaged).into_owned());
        }
    });
}

#[test]
fn bytes_without_sense_are_read_to_their_end() {
    for (ending, each) in ENDINGS {
        for round in 0..rounds(each) * 24 {
            let mut dice = Dice(0xD1B5_4A32_D192_ED03 ^ round);
            let length = dice.below(400);
            let bytes: Vec<u8> = (0..length).map(|_| dice.below(256) as u8).collect();
            let name = format!("input.{ending}");
            check(Path::new(&name), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

#[test]
fn rust_that_is_nested_beyond_reason_is_refused() {
    let pieces = [
        "(",
        "[",
        "{",
        "!",
        "- ",
        "&",
        "*",
        "|x| ",
        "x = ",
        "a + ",
        "a.b().",
        "a::",
        "return ",
        "if a {} else ",
        "Vec<",
        "a..",
        "&&",
        "x as ",
        "#[a] ",
        "match x { _ => ",
        "let x = ",
        "unsafe {",
        "f(",
        "a < ",
        "dyn ",
        "a, ",
        "a; ",
    ];
    for piece in pieces {
        for count in [200, 3_000, 20_000] {
            let text = format!("// cuda\nfn main() {{ let y = {} }}", piece.repeat(count));
            check(Path::new("deep.rs"), text);
            check(Path::new("type.rs"), format!("// cuda\ntype A = {};", piece.repeat(count)));
        }
    }
}

/// Checks one file; a panic fails the test.
fn check(file: &Path, text: String) {
    let Some(language) = Language::of_name(file) else { return };
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut sources = Sources::default();
    sources.files.push(Source::new(None, name, language, text));
    let settings = Settings::default();
    let outcome = gpulint::check(&sources, &settings, RuleSet::embedded()).expect("no rule is named");
    for finding in &outcome.findings {
        let position = sources.position(finding.place);
        assert!(position.line > 0 && position.column > 0, "{}: {position:?}", file.display());
        assert!(position.end_line >= position.line, "{}: {position:?}", file.display());
    }
}

/// Numbers that look random and are the same in each run (xorshift64*).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end.max(1)
    }
}

/// The text with a few pieces cut out, doubled, moved or replaced.
fn damage(text: &[u8], dice: &mut Dice) -> Vec<u8> {
    const PIECES: [&[u8]; 14] = [
        b"\"",
        b"\\",
        b"\r\n",
        b"{",
        b"}",
        b"(",
        b"[",
        b"%%bash\n",
        b"\xef\xbb\xbf",
        b"\xf0\x9f\x98\x80",
        b"```",
        b"!",
        b"fn ",
        b"\0",
    ];
    let mut text = text.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(text.len());
        let end = (at + dice.below(60)).min(text.len());
        match dice.below(4) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = text[at..end].to_vec();
                let to = dice.below(text.len());
                text.splice(to..to, piece);
            }
            2 => drop(text.splice(at..end, PIECES[dice.below(PIECES.len())].iter().copied())),
            _ => text.truncate(at),
        }
    }
    text
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { collect(&entry, files) } else { files.push(entry) }
    }
}
