//! Files are opened in one guarded way, and SECURITY.md promises what tests hold.

use super::{in_repository, none_of, sources, texts_below};

/// Who opens files otherwise, and why that is no way around the guard.
const OTHERS: &[(&str, &str)] = &[
    ("src/cli/check/shards.rs", "shards that the user names"),
    ("src/cli/report.rs", "reports that the user names, and those in a folder of reports"),
    ("crates/base/src/disk/", "the guarded way itself"),
    ("crates/base/src/disk.rs", "lists what a folder holds"),
    ("crates/base/src/atomic_write.rs", "replaces a file whose place the caller has asked the bounds for"),
    ("src/cache.rs", "keeps answers in the folder of the user's caches"),
    ("src/cli/outputs.rs", "writes reports where the command line says"),
    ("src/cli/init.rs", "writes a policy where the command line says"),
    ("src/cli/validate/", "writes reports and state where the command line says"),
    ("crates/runtime/src/", "looks at a machine, and checks no code"),
    (
        "crates/check/src/lib.rs",
        "writes what a run cost to the file that a variable of the environment names",
    ),
    ("src/source_number.rs", "runs when gpulint is built"),
];

const OPENING: &[&str] = &[
    "std::fs",
    "fs::read",
    "fs::write",
    "fs::copy",
    "fs::create",
    "File::open",
    "File::create",
    "File::options",
    "OpenOptions",
    "rustix::fs::open",
    ".read_dir()",
];

#[test]
fn files_are_opened_in_one_guarded_way() {
    let is_test = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    let (mut faults, mut used) = (Vec::new(), Vec::new());
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_test(path)) {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (at, line) in lines.filter(|(_, line)| OPENING.iter().any(|word| line.contains(word))) {
            match OTHERS.iter().find(|(other, _)| path.starts_with(other)) {
                Some((other, _)) => used.push(*other),
                None => faults.push(format!("{path}:{}: {}", at + 1, line.trim())),
            }
        }
    }
    none_of(
        faults,
        "`Bounds` in crates/base/src/disk/bounds.rs opens files of a project, and refuses what does not belong to it",
    );
    let unused = OTHERS
        .iter()
        .filter(|(other, _)| !used.contains(other))
        .map(|(other, why)| format!("{other}: {why}"));
    none_of(unused.collect(), "these open nothing: take them out of the list");
}

/// The crate would open files that say what is ignored, whatever they are.
#[test]
fn a_walk_reads_no_file_by_itself() {
    let walks = sources().into_iter().filter(|(_, text)| text.contains("WalkBuilder::new"));
    let walks: Vec<_> = walks.collect();
    assert_eq!(
        walks.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
        ["crates/base/src/sources/walk.rs"]
    );
    assert!(walks[0].1.contains(".standard_filters(false)"));
}

/// What a rule found is kept with what it asked for: what it reads past the program is not known to have been asked.
#[test]
fn rules_ask_the_program_for_other_files() {
    for past in ["sources.files", "text_named("] {
        let mut found = files_with(past);
        found.retain(|path| path.starts_with("crates/rules/src/analyses/"));
        none_of(found, "ask `every_file`, `files_with` or `text_of` of the program");
    }
}

/// Files that hold this text outside of comments and of tests.
fn files_with(text: &str) -> Vec<String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let texts = sources().into_iter().filter(|(path, _)| !path.ends_with("tests.rs"));
    let found = texts.filter(|(_, whole)| whole.lines().filter(is_code).any(|line| line.contains(text)));
    found.map(|(path, _)| path).collect()
}

#[test]
fn only_metrics_open_a_port() {
    for word in ["std::net", "os::unix::net", "TcpStream", "UdpSocket"] {
        let found = files_with(word);
        assert!(found.iter().all(|path| path == "crates/runtime/src/metrics/server.rs"), "{word}: {found:?}");
    }
    let lock = std::fs::read_to_string(in_repository("Cargo.lock")).expect("Cargo.lock");
    // Crates without which none of the others that speak to the network is there.
    for name in
        ["socket2", "mio", "tokio", "hyper", "ureq", "curl", "curl-sys", "rustls", "native-tls", "openssl"]
    {
        assert!(!lock.contains(&format!("\nname = \"{name}\"\n")), "{name}");
    }
}

#[test]
fn programs_are_started_in_few_places() {
    let places = [
        "crates/runtime/src/exec.rs",
        "crates/runtime/src/machine.rs",
        "crates/runtime/src/validation/workers.rs",
        "src/changes/git.rs",
        "src/init/machine.rs",
    ];
    let mut found = files_with("Command::new(");
    found.sort();
    assert_eq!(found, places);
}

#[test]
fn every_promise_has_its_test() {
    let page = std::fs::read_to_string(in_repository("SECURITY.md")).expect("SECURITY.md");
    let promises = page.split("## What is promised").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows =
        promises.expect("the section").lines().filter(|line| line.starts_with("| ") && !line.contains("---"));
    let rows: Vec<&str> = rows.filter(|line| *line != "| promise | its tests |").collect();
    assert!(rows.len() >= 20, "{} promises", rows.len());
    let texts: Vec<(String, String)> = texts_below("tests").into_iter().chain(sources()).collect();
    let mut faults = Vec::new();
    for row in rows {
        let cell = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let named: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        let exists = |test: &&str| {
            texts.iter().any(|(_, text)| {
                text.contains(&format!("\n    fn {test}()")) || text.contains(&format!("\nfn {test}()"))
            })
        };
        if named.is_empty() || !named.iter().all(exists) {
            faults.push(row.to_owned());
        }
    }
    none_of(faults, "each promise names tests that there are");
}
