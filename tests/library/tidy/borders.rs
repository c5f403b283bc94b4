//! Each step of the flow depends on those before it only, so that it can be read and changed by itself.

use super::{none_of, sources};

/// Which other modules each module may name, where several share a package. Between packages cargo keeps the borders: what one uses of
/// another stands in its `lib.rs`.
const BORDERS: &[(&str, &[&str])] = &[
    ("crates/base/src/facts", &[]),
    ("crates/rules/src/architectures", &["program"]),
    ("crates/base/src/code", &["facts"]),
    ("crates/base/src/commands", &[]),
    ("crates/base/src/allocator", &[]),
    ("crates/base/src/masks", &[]),
    // A state of the project is the disk with other files; only sources, policies, rules and baselines are read from it.
    ("crates/base/src/disk", &[]),
    ("src/changes", &["disk"]),
    ("crates/base/src/atomic_write", &[]),
    ("crates/base/src/sources", &["disk", "facts"]),
    ("crates/base/src/findings", &["disk", "facts", "sources"]),
    ("crates/base/src/policy", &["disk", "findings", "sources"]),
    ("crates/languages/src/versions", &["code", "languages", "sources"]),
    ("src/comparison", &["changes", "disk", "facts", "findings", "languages", "sources"]),
    // How mild a finding may be that is still shown.
    ("crates/base/src/settings", &["disk", "findings", "policy", "sources"]),
    (
        "src/cache",
        &[
            "findings",
            "policy",
            "program",
            "rules",
            "settings",
            "sources",
            "check",
            "check_remembering",
            "Outcome",
        ],
    ),
    (
        "src/map",
        &[
            "facts",
            "code",
            "findings",
            "masks",
            "policy",
            "program",
            "report",
            "rules",
            "settings",
            "sources",
            "trace",
            "check",
            "program_of",
            "Outcome",
        ],
    ),
    ("src/trace", &["facts", "findings", "program", "report", "rules", "settings", "sources", "program_of"]),
];

/// The name of a module, by its place.
fn name_of(module: &str) -> &str {
    module.rsplit('/').next().unwrap_or(module)
}

/// Whether a file belongs to a module.
fn is_of(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.starts_with(['/', '.']))
}

#[test]
fn modules_name_only_what_they_may() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let Some((module, allowed)) = BORDERS.iter().find(|(module, _)| is_of(&path, module)) else {
            continue;
        };
        for (number, line) in code_lines(&text) {
            for named in named_modules(line) {
                if named != name_of(module) && !allowed.contains(&named) {
                    faults.push(format!("{path}:{number}: `{module}` names `crate::{named}`"));
                }
            }
        }
    }
    none_of(
        faults,
        "these cross a border of src/lib.rs; move the thing, or argue for a wider border in tests/tidy",
    );
}

#[test]
fn every_border_belongs_to_a_module() {
    let sources = sources();
    for (module, allowed) in BORDERS {
        assert!(sources.iter().any(|(path, _)| *path == format!("{module}.rs")), "{module}");
        let used = |allowed: &&str| {
            let own = sources.iter().filter(|(path, _)| is_of(path, module));
            own.flat_map(|(_, text)| code_lines(text)).any(|(_, line)| named_modules(line).contains(allowed))
        };
        let unused: Vec<_> = allowed.iter().filter(|allowed| !used(allowed)).collect();
        assert!(unused.is_empty(), "`{module}` may name {unused:?} and does not: take it out of the list");
    }
}

#[test]
fn only_the_python_front_end_names_ruff() {
    let python = |path: &str| path.starts_with("crates/languages/src/python");
    let mut faults = Vec::new();
    for (path, text) in sources().iter().filter(|(path, _)| !python(path)) {
        let naming = code_lines(text).filter(|(_, line)| line.contains("ruff_"));
        faults.extend(naming.map(|(number, line)| format!("{path}:{number}: {line}")));
    }
    none_of(
        faults,
        "the parser is replaced by changing crates/languages/src/python only, so nothing else may know it",
    );
}

/// Where a driver, a library in C or a system without a safe interface is called.
const FOREIGN: &[&str] = &[
    "src/cli/memory.rs",
    "crates/runtime/src/driver.rs",
    "crates/runtime/src/native/cublas.rs",
    "crates/runtime/src/native/device.rs",
    "crates/runtime/src/process/",
    "crates/runtime/src/slot/",
];

#[test]
fn only_calls_of_foreign_code_are_unsafe() {
    let keyword = concat!("uns", "afe");
    let mut faults = Vec::new();
    let is_foreign = |path: &str| FOREIGN.iter().any(|known| path.starts_with(known));
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_foreign(path)) {
        for (number, line) in code_lines(&text) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '"' && c != '-');
            if words.any(|word| word == keyword) {
                faults.push(format!("{path}:{number}: {line}"));
            }
        }
    }
    none_of(faults, "no code here needs it");
}

/// The lines that are not comments, with their numbers.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.starts_with("//"))
}

/// The modules that a line names as `crate::module`; one `use` for each, so that borders can be seen.
fn named_modules(line: &str) -> Vec<&str> {
    let after = line.match_indices("crate::").map(|(at, found)| &line[at + found.len()..]);
    after
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
        .collect()
}
