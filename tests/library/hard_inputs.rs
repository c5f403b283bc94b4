//! Inputs that somebody hands in beside code, broken on purpose: what `fuzz/` does with each, done here with changes of good ones. They are
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
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Changes of each kind of input without a longer run.
const CHANGES: u64 = 60;

/// What is put in: what these languages give a meaning to.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    "#",
    "$",
    "${",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    ":",
    ": ",
    ",",
    "=",
    "|",
    ">",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "- ",
    "? ",
    "---\n",
    "\u{feff}",
    "ä",
    "\u{1f600}",
    "\0",
    "\u{2028}",
    "ｏｓ",
    "0",
    "-1",
    "1,0",
    "GPU-",
    "MIG-",
    "99999999999999999999",
    "1e999",
    "null",
    "true",
    "cuda:1",
    "~",
    "max_split_size_mb:",
    "backend:cudaMallocAsync",
    "expandable_segments:True",
    "CUDA_VISIBLE_DEVICES",
    "os.environ",
    "import torch\n",
    "if x:\n    ",
    "    ",
    "def f():\n",
    "\"\"\"",
    "lambda: ",
    "*",
    "?",
    "**/",
    "..",
    "gpu: ",
    "forbidden: ",
    "rules: ",
    "when: ",
    "find: ",
    "fix: ",
    "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"",
    "\"params\": ",
    "file:///",
    "%",
    "%00",
];

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
            let bytes = changed(&seeds, &mut numbers);
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

/// The fuzzer has a target for each.
#[test]
fn each_input_has_a_target() {
    let manifest = std::fs::read_to_string(in_repository("fuzz/Cargo.toml")).expect("it is there");
    for (name, _) in INPUTS {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"input.rs\"\n")), "{name}");
    }
}

/// Good ones, from the tests and the rules.
fn seeds_of(name: &str) -> Vec<Vec<u8>> {
    let files = |folder: &str, ending: &str| -> Vec<Vec<u8>> {
        let files = files_in(&in_repository(folder)).into_iter();
        let files = files.filter(|path| path.to_string_lossy().ends_with(ending));
        files.map(|path| std::fs::read(path).expect("readable")).filter(|bytes| bytes.len() < 4_000).collect()
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    match name {
        "policy" => files("tests/projects", "gpulint.yaml"),
        "policy_toml" => texts(&[
            "[tool.gpulint.gpu]\nname = \"RTX 3090\"\nvisible-devices = [\"1\", 0]\n",
            "[tool.gpulint]\nbackends = [\"cuda\"]\n[tool.gpulint.rules]\nselect = [\"all\"]\nseverity = {late-pin = \"error\"}\n",
            "[tool.gpulint.runtime]\niterations = 5\ntargets = [{name = \"a\", command = [\"true\"], mode = \"gpu\"}]\n",
        ]),
        "own_rule" => files("rules", ".yaml"),
        "baseline" => texts(&[
            "{\"schema\": 1, \"findings\": []}",
            "{\"schema\": 1, \"findings\": [{\"rule\": \"late-pin\", \"path\": \"a.py\", \"fingerprint\": \"00112233445566778899aabbccddeeff\", \"line\": 3, \"message\": \"x\"}]}",
            "{\n  \"findings\": [\n    {\"fingerprint\": \"0\", \"path\": \"b/ä.py\", \"rule\": \"x\"}\n  ],\n  \"schema\": 1\n}\n",
        ]),
        "mask" => texts(&[
            "0",
            "1,0",
            "GPU-30903090-0000-4000-8000-000000000002",
            "MIG-1/2/3",
            "-1",
            "NoDevFiles",
            "0,foo,1",
            " 0 , 1 ",
            "",
        ]),
        "allocator" => texts(&[
            "max_split_size_mb:512",
            "expandable_segments:True,garbage_collection_threshold:0.8",
            "backend:cudaMallocAsync",
            "roundup_power2_divisions:[256:1,512:2,>:8]",
        ]),
        "server" => texts(&[SESSION, EDITED, "Content-Length: 2\r\n\r\n{}Content-Length: x\n\n"]),
        "fixes_dockerfile" => files("tests/projects", "Dockerfile"),
        "fixes_dotenv" => files("tests/projects", ".env"),
        "fixes_notebook" => files("tests/projects", ".ipynb"),
        "fixes_powershell" => files("tests/projects", ".ps1"),
        "fixes_python" => files("tests/projects", ".py"),
        "fixes_shell" => files("tests/projects", ".sh"),
        "fixes_yaml" => files("tests/projects", ".yml"),
        other => panic!("{other} has no seeds"),
    }
}

const SESSION: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {"general": {"positionEncodings": ["utf-8"]}}, "rootUri": "file:///fuzz", "workspaceFolders": [{"uri": "file:///fuzz", "name": "a"}]}}
{"jsonrpc": "2.0", "method": "initialized", "params": {}}
{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///fuzz/a.py", "languageId": "python", "version": 1, "text": "import os\nös = 1\n"}}}
{"jsonrpc": "2.0", "id": 2, "method": "textDocument/codeAction", "params": {"textDocument": {"uri": "file:///fuzz/a.py"}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 1}}, "context": {"diagnostics": []}}}
{"jsonrpc": "2.0", "id": 3, "method": "shutdown", "params": null}
"#;

const EDITED: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "untitled:a", "languageId": "python", "version": 1, "text": "a\u00e4\ud83d\ude00b\r\nc"}}}
{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "untitled:a", "version": 2}, "contentChanges": [{"range": {"start": {"line": 0, "character": 2}, "end": {"line": 1, "character": 1}}, "text": "x"}, {"text": "y"}]}}
{"jsonrpc": "2.0", "id": "h", "method": "textDocument/hover", "params": {"textDocument": {"uri": "untitled:a"}, "position": {"line": 0, "character": 1}}}
{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "untitled:a"}}}
{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "h"}}
"#;

/// One of them, with some changes.
fn changed(seeds: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
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
            _ => drop(bytes.splice(at..at, PIECES[numbers.below(PIECES.len())].bytes())),
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
