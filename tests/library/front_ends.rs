//! Files that people break while they write them: whatever is cut out of, doubled in or put into a file of the
//! labelled projects, nothing panics, and findings point into the file. The changes are the same in each run.

use crate::numbers::Numbers;
use gpulint::policy::Policy;
use gpulint::rules::RuleSet;
use gpulint::settings::Settings;
use gpulint::sources::{Language, Source, Sources};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

const LANGUAGES: [Language; 7] = [
    Language::Dockerfile,
    Language::Dotenv,
    Language::Ini,
    Language::Json,
    Language::Makefile,
    Language::Requirements,
    Language::Toml,
];

/// Changes of each file.
const CHANGES: u64 = 12;

/// What is put in: what these languages give a meaning to.
const PIECES: [&str; 42] = [
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "#",
    "$",
    "$(",
    "${",
    "}",
    ")",
    "{",
    "[",
    "]",
    "=",
    ":",
    ",",
    "<<EOF\n",
    "\\\n",
    "\u{feff}",
    "ä",
    "\u{1f600}",
    "CUDA_VISIBLE_DEVICES=1",
    "CUDA_VISIBLE_DEVICES",
    "export ",
    "\"\"\"",
    "define x\n",
    "ifeq (a,b)\n",
    "endif\n",
    "FROM a AS b\n",
    "ENV ",
    "$$",
    "\0",
    "torch>=2.0+cu118",
    " ; ",
    "--index-url https://download.pytorch.org/whl/cu118",
    "-r ",
    " @ ",
    "~=9999999999999999999.",
    "pip install ",
    "dependencies",
];

impl Numbers {
    /// A place between two letters.
    fn place_in(&mut self, text: &str) -> usize {
        text.floor_char_boundary(self.below(text.len() + 1))
    }
}

#[test]
fn broken_files_are_read_to_their_end() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects"), &mut files);
    assert!(files.len() > 60, "{}", files.len());
    let cases: Vec<(usize, u64)> =
        (0..files.len()).flat_map(|file| (0..CHANGES).map(move |change| (file, change))).collect();
    cases.into_par_iter().for_each(|(file, change)| {
        let (path, text) = &files[file];
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 ^ (file as u64 * 1000 + change + 1));
        let text = changed(text, &mut numbers);
        holds_together(path, text);
    });
}

#[test]
fn any_text_is_read_to_its_end() {
    let names = [
        "Dockerfile",
        ".env",
        "pytest.ini",
        "tox.ini",
        "launch.json",
        "a.json",
        "Makefile",
        "pyproject.toml",
        "requirements.txt",
        "setup.cfg",
        "Pipfile",
    ];
    (0..150u64).into_par_iter().for_each(|number| {
        let mut numbers = Numbers(number * 7919 + 1);
        let mut text = String::new();
        for _ in 0..numbers.below(60) {
            text.push_str(PIECES[numbers.below(PIECES.len())]);
        }
        for name in names {
            holds_together(Path::new(name), text.clone());
        }
    });
}

#[test]
fn deep_and_long_files_end() {
    let deep = [
        ("a.json", format!("{{\"cuda\": {}", "[".repeat(50_000))),
        ("a.json", "{\"env\":".repeat(400)),
        ("a.toml", format!("a = {}1{}", "[".repeat(5_000), "]".repeat(5_000))),
        ("a.toml", format!("a{} = 1", ".gpu".repeat(5_000))),
        (".env", "A=$A\n".repeat(1_900)),
        (".env", format!("A={}", "${A:-".repeat(5_000))),
        ("Makefile", "ifdef X\n".repeat(5_000)),
        ("Makefile", format!("A = $(A)$(A)$(A)\nx:\n\t{}\n", "$(A)".repeat(100))),
        ("Makefile", format!("{}:\n\tpython train.py\n", "x ".repeat(5_000))),
        ("Dockerfile", (0..300).map(|n| format!("FROM s{n} AS s{}\nENV A=1\n", n + 1)).collect()),
        ("Dockerfile", "FROM a AS a\n".repeat(3_000)),
        ("Dockerfile", format!("RUN {}", "<<E ".repeat(2_000))),
        ("requirements.txt", "torch\\\n".repeat(5_000)),
        ("requirements.txt", format!("torch{}", ",>=2+cu118".repeat(5_000))),
        ("requirements.txt", "torch==2.5.1+cu118\n".repeat(2_000)),
        ("pyproject.toml", format!("[project]\ndependencies = [{}]", "\"torch~=2\",".repeat(5_000))),
        ("tox.ini", "[testenv:a]\ncommands = python\n".repeat(500)),
    ];
    for (name, text) in deep {
        holds_together(Path::new(name), text);
    }
}

/// Checks a file alone: every finding points into it.
fn holds_together(path: &Path, text: String) {
    let language = Language::of_name(path).expect("a language that is read");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut sources = Sources::default();
    sources.files.push(Source::new(None, name, language, text));
    let policy: Policy = serde_yaml::from_str(
        "gpu: {name: RTX 5090, visible-devices: GPU-8932f937, device-order: PCI_BUS_ID}",
    )
    .expect("a policy");
    let settings = Settings { policy_file: Some("gpulint.yaml".into()), policy, ..Settings::default() };
    let outcome = gpulint::check(&sources, &settings, RuleSet::embedded()).expect("known rules");
    for finding in &outcome.findings {
        let places = finding.related.iter().map(|related| related.place).chain([finding.place]);
        for place in places {
            let text = &sources.file(place.file).text;
            assert!(text.get(place.span.range()).is_some(), "{}: {place:?} in {text:?}", path.display());
        }
    }
}

fn changed(text: &str, numbers: &mut Numbers) -> String {
    let mut text = text.to_owned();
    for _ in 0..=numbers.below(6) {
        let (one, other) = (numbers.place_in(&text), numbers.place_in(&text));
        let (start, end) = (one.min(other), one.max(other));
        match numbers.below(4) {
            0 => text.replace_range(start..text.floor_char_boundary(end.min(start + 12)), ""),
            1 => {
                let part = text[start..text.floor_char_boundary(end.min(start + 40))].to_owned();
                let at = numbers.place_in(&text);
                text.insert_str(at, &part);
            }
            2 => text.insert_str(start, PIECES[numbers.below(PIECES.len())]),
            _ => text.truncate(end),
        }
    }
    text
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    let entries = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if Language::of_name(&path).is_some_and(|language| LANGUAGES.contains(&language)) {
            files.push((path.clone(), fs::read_to_string(&path).expect("text")));
        }
    }
}
