//! Whatever a script contains, reading it ends without a panic: random bytes, changed scripts, deep nesting, and lines
//! of a megabyte. The seeds are fixed, so each run reads the same texts.

use std::fs;
use std::path::{Path, PathBuf};

use gpulint::languages;
use gpulint::rules::RuleSet;
use gpulint::settings::Settings;
use gpulint::sources::{Language, Source, Sources};
use rayon::prelude::*;

/// The endings of the languages, each with what it is read as.
const LANGUAGES: [(&str, Language); 3] =
    [("sh", Language::Shell), ("ps1", Language::PowerShell), ("bat", Language::Batch)];

#[test]
fn random_bytes() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..400 {
        let length = random.below(300);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        read_as_each(&String::from_utf8_lossy(&bytes), round);
    }
}

#[test]
fn random_signs_of_the_languages() {
    const SIGNS: &[&str] = &[
        "$",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        "`",
        "%",
        "%%",
        "!",
        "^",
        "&",
        "|",
        ";",
        "\n",
        "\r\n",
        " ",
        "=",
        "@",
        "@'\n",
        "\n'@",
        "<<E\n",
        "E\n",
        "\\",
        "#",
        "::",
        ":a",
        "set ",
        "if ",
        "for ",
        "do ",
        "goto a",
        "call :a",
        "export ",
        "X",
        "env:",
        "python -c ",
        "-",
        "foreach",
        "switch",
        "é",
        "~",
        "<",
        ">",
        "*",
        "1",
        ",",
        "in",
        "then",
        "fi",
        "done",
        "case",
        "esac",
        "function f",
        "setlocal",
        "endlocal",
        "docker run ",
        "--env=",
        "-e",
        "$(",
        "${",
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..1500 {
        let count = random.below(60);
        let text: String = (0..count).map(|_| SIGNS[random.below(SIGNS.len())]).collect();
        read_as_each(&text, round);
    }
}

#[test]
fn changed_scripts() {
    let mut random = Random(0xd1b5_4a32_d192_ed03);
    for script in scripts() {
        let text = fs::read_to_string(&script).expect("a script of ours");
        for round in 1..7 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len().max(1)).min(bytes.len());
                let end = (at + random.below(12)).min(bytes.len());
                match random.below(4) {
                    0 => drop(bytes.drain(at..end)),
                    1 => bytes.insert(at, random.below(128) as u8),
                    2 => bytes.truncate(at),
                    _ => {
                        let part = bytes[at..end].to_vec();
                        bytes.splice(at..at, part);
                    }
                }
            }
            read_as_each(&String::from_utf8_lossy(&bytes), round);
        }
    }
}

#[test]
fn deep_nesting() {
    let nestings = [
        "(",
        "{",
        "$(",
        "`",
        "${",
        "\"$(",
        "if (",
        "((",
        "if true; then ",
        "& {",
        "@(",
        "[",
        "@{a=",
        "if 1==1 (",
        "f() {",
        "for %%i in (1) do (",
        "foreach ($x in ",
        "function f { ",
        "eval '",
        "bash -c \"",
        "call ",
        "setlocal\n",
        "a | ",
        "a && ",
        "! ",
        "-not ",
        "$x=",
        "switch (1) { 1 {",
        "while (",
        "try {",
        "<<E\n",
        "goto a\n:a\n",
        "1..",
        "!",
        "x=(",
    ];
    for nesting in nestings {
        read_as_each(&nesting.repeat(1000), 0);
    }
}

#[test]
fn long_lines() {
    let units = [
        "a", "a ", "$x ", "\"", "' ", "${x}", "%x%", "% ", "!x! ", "^", "(", "=", "x=1 ", "a; ", "a | ",
        "a & ", "$(a) ", "\"$a\" ", "-e X=1 ", "0,", "`", "@", ">a ", "<<<a ", "\\", ":", "é",
    ];
    for unit in units {
        read_as_each(&unit.repeat(4_000 / unit.len()), 0);
        read_as_each(&format!("set X={}", unit.repeat(4_000 / unit.len())), 0);
    }
    for unit in ["a", "0,", "é"] {
        read_as_each(&format!("export X={}", unit.repeat(1_000_000 / unit.len())), 0);
    }
    read_as_each(&"a | ".repeat(250_000), 0);
}

/// Reads the text as each language; now and then to the findings, which takes longer.
fn read_as_each(text: &str, round: usize) {
    LANGUAGES.par_iter().for_each(|(ending, language)| {
        let source = Source::new(None, format!("{round}.{ending}"), *language, text.to_owned());
        if !round.is_multiple_of(8) {
            // What is refused is refused in words.
            return drop(
                languages::lower(&source, languages::Choices::default())
                    .map_err(|refusal| assert!(!refusal.is_empty())),
            );
        }
        let sources = Sources { files: vec![source], ..Sources::default() };
        let outcome = gpulint::check(&sources, &Settings::default(), RuleSet::embedded());
        let outcome = outcome.expect("no rule is selected by its name");
        assert_eq!(outcome.checked.len() + outcome.skipped.len(), 1, "{text:?}");
        for finding in outcome.findings {
            assert!(text.get(finding.place.span.range()).is_some(), "{text:?}: {finding:?}");
        }
    });
}

/// The scripts of the labelled cases.
fn scripts() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of ours") {
            let path = entry.expect("readable").path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if LANGUAGES.iter().any(|(known, _)| *known == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 100, "the cases have moved");
    found
}

/// Numbers that look random and are the same each time (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit.max(1)
    }
}
