//! How the action gets a gpulint: one that is given, a released one with a known checksum, or one that it builds.

use crate::composite::{Job, Ran};
use crate::scratch::{BINARY, REPOSITORY, RIGHT, Scratch, WRONG, printed, skipped, slow_tests_wanted};
use std::path::Path;
use std::process::Command;

const ARCHIVE: &str = concat!("gpulint-", env!("CARGO_PKG_VERSION"), "-x86_64-unknown-linux-musl.tar.gz");
const WINDOWS_ARCHIVE: &str = concat!("gpulint-", env!("CARGO_PKG_VERSION"), "-x86_64-pc-windows-msvc.zip");

/// The action in a folder of its own, as a runner downloads it, with little to compile.
fn action_copy(name: &str) -> Scratch {
    let copy = Scratch::new(&format!("install-{name}-action"));
    for file in ["Cargo.toml", "Cargo.lock", "packaging/checksums.txt"] {
        copy.write(file, &std::fs::read_to_string(Path::new(REPOSITORY).join(file)).unwrap());
    }
    for script in [
        "action/plan",
        "action/forks",
        "action/install",
        "action/check",
        "action/runtime",
        "action/verdict",
        "release/version",
        "release/archive",
        "release/table",
    ] {
        let file = format!("packaging/{script}.sh");
        copy.write(&file, "");
        std::fs::copy(Path::new(REPOSITORY).join(&file), copy.path().join(&file)).unwrap();
    }
    copy.write("src/main.rs", "fn main() {}\n");
    copy.write("crates/a/src/lib.rs", "");
    copy.write("rules/a.yaml", "id: a\n");
    copy
}

fn project(name: &str) -> Scratch {
    let project = Scratch::new(&format!("install-{name}"));
    project.git(&["init", "--quiet"]);
    project.write("train.py", RIGHT);
    project
}

/// Runs a script of this repository, as it lies in a copy of the action.
fn script(action: &Scratch, name: &str, arguments: &[&str]) -> String {
    let run = action.command("bash").arg(format!("packaging/release/{name}.sh")).args(arguments).output();
    let run = run.expect("bash is installed");
    assert!(run.status.success(), "{name}: {}", printed(&run));
    printed(&run).trim().to_owned()
}

/// What the release workflow does: archives as users download them, and the table of their checksums in the action.
/// What is packed starts the binary under test, which is large.
fn release(action: &Scratch, mirror: &Scratch) {
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        action.write(file, "");
    }
    action.write("gpulint", &format!("#!/bin/sh\nexec '{BINARY}' \"$@\"\n"));
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(action.path().join("gpulint"), executable).unwrap();
    let folder = mirror.path().join(concat!("v", env!("CARGO_PKG_VERSION")));
    let folder = folder.to_str().unwrap();
    for (target, archive) in
        [("x86_64-unknown-linux-musl", ARCHIVE), ("x86_64-pc-windows-msvc", WINDOWS_ARCHIVE)]
    {
        assert_eq!(script(action, "archive", &["gpulint", target, folder]), archive);
    }
    script(action, "table", &[folder]);
}

#[test]
fn a_release_is_downloaded_when_its_checksum_is_known() {
    if cfg!(not(target_os = "linux")) {
        return skipped("the archive is one for Linux");
    }
    let (project, action, mirror) =
        (project("download"), action_copy("download"), Scratch::new("install-mirror"));
    release(&action, &mirror);
    let run_of = |version: &'static str| {
        let job = Job::new(&project, &[("version", version)]).without_binary().action_at(action.path());
        job.env("GPULINT_DOWNLOADS", format!("file://{}", mirror.path().display())).run()
    };
    let run = || run_of("");
    for version in [env!("CARGO_PKG_VERSION"), concat!("v", env!("CARGO_PKG_VERSION"))] {
        let ran = run_of(version);
        assert_eq!((ran.exit_code, ran.steps["plan"]["source"].as_str()), (0, "download"), "{}", ran.text);
    }
    let ran = run_of("99.0.0");
    let unknown =
        "the input version is `99.0.0`, and packaging/checksums.txt of this action knows no such release";
    assert!(ran.exit_code == 2 && ran.text.contains(unknown), "{}", ran.text);
    let ran = run();
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    assert_eq!(ran.steps["plan"]["source"], "download");
    assert!(ran.used.is_empty(), "a download needs no cache: {:?}", ran.used);
    assert!(ran.text.contains(concat!("gpulint ", env!("CARGO_PKG_VERSION"))), "{}", ran.text);

    let table = std::fs::read_to_string(action.path().join("packaging/checksums.txt")).unwrap();
    let known =
        table.lines().find(|line| line.ends_with(ARCHIVE)).and_then(|line| line.split_once(' ')).unwrap().0;
    let other = "0".repeat(64);
    action.write("packaging/checksums.txt", &table.replace(known, &other));
    let ran = run();
    assert_eq!(ran.exit_code, 2, "{}", ran.text);
    let sentence =
        format!("has the SHA-256 {known}, and not {other} of packaging/checksums.txt; it was deleted");
    assert!(ran.text.contains(&sentence), "{}", ran.text);

    std::fs::remove_dir_all(mirror.path().join(concat!("v", env!("CARGO_PKG_VERSION")))).unwrap();
    let ran = run();
    assert!(ran.exit_code == 2 && ran.text.contains("cannot be downloaded"), "{}", ran.text);
}

/// Without a folder in it, as `install.ps1` unpacks it.
#[test]
fn the_archive_for_windows_holds_the_binary_at_its_top() {
    if cfg!(not(target_os = "linux")) {
        return skipped("checksums are made on Linux");
    }
    let (action, mirror) = (action_copy("zip"), Scratch::new("install-zip"));
    release(&action, &mirror);
    let archive = mirror.path().join(concat!("v", env!("CARGO_PKG_VERSION"))).join(WINDOWS_ARCHIVE);
    let names = "import sys, zipfile; print(*sorted(zipfile.ZipFile(sys.argv[1]).namelist()))";
    let listed =
        mirror.command("python3").args(["-c", names]).arg(archive).output().expect("Python is installed");
    assert_eq!(printed(&listed).trim(), "CHANGELOG.md LICENSE-APACHE LICENSE-MIT README.md gpulint");
}

#[test]
fn a_release_needs_its_tag_and_its_part_of_the_changelog() {
    let action = action_copy("version");
    let run = |arguments: &[&str]| {
        let run =
            action.command("bash").arg("packaging/release/version.sh").args(arguments).output().unwrap();
        (run.status.success(), printed(&run))
    };
    let version = env!("CARGO_PKG_VERSION");
    let tag = format!("v{version}");
    action.write("CHANGELOG.md", "## [Unreleased]\n");
    let (released, text) = run(&[&tag]);
    assert!(!released && text.contains(&format!("CHANGELOG.md has no section \"## [{version}]\"")), "{text}");
    action.write("CHANGELOG.md", &format!("## [Unreleased]\n\n## [{version}] - some day\n"));
    assert_eq!(run(&[&tag]), (true, format!("{version}\n")));
    assert_eq!(run(&[]), (true, format!("{version}\n")));
    let (released, text) = run(&["v99.0.0"]);
    assert!(!released && text.contains(&format!("the tag must be {tag}")), "{text}");
}

#[test]
fn the_readme_of_a_release_leads_to_files_that_are_there() {
    let folder = Scratch::new("readme");
    folder.write("README.md", &std::fs::read_to_string(Path::new(REPOSITORY).join("README.md")).unwrap());
    let script = Path::new(REPOSITORY).join("packaging/release/readme.py");
    let run =
        |more: &[&str]| folder.command("python3").arg(&script).arg("README.md").args(more).output().unwrap();
    let done = run(&["--home", "https://example.org/team/gpulint"]);
    assert!(done.status.success(), "{}", printed(&done));
    let text = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    let targets: Vec<&str> = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(targets.len() > 30, "{targets:?}");
    let at_tag = concat!("/v", env!("CARGO_PKG_VERSION"), "/");
    for target in targets {
        assert!(target.starts_with("https://"), "{target}");
        let Some(ours) = target.strip_prefix("https://example.org/team/gpulint/") else { continue };
        let (kind, path) = ours.split_once(at_tag).unwrap_or_else(|| panic!("{target}"));
        let file = Path::new(REPOSITORY).join(path.split('#').next().unwrap());
        assert!(file.exists() && (kind == "tree") == file.is_dir(), "{target}");
    }
    // What is absolute stays.
    assert!(run(&["--home", "https://example.org/other"]).status.success());
    assert_eq!(std::fs::read_to_string(folder.path().join("README.md")).unwrap(), text);
}

/// Those for Homebrew and conda, which `.ci/nightly recipes` also puts to use.
#[test]
fn recipes_name_each_archive_with_its_checksum() {
    if cfg!(not(target_os = "linux")) {
        return skipped("checksums are made on Linux");
    }
    let folder = Scratch::new("recipes");
    let written = |more: &[&str]| {
        let script = Path::new(REPOSITORY).join("packaging/release/recipes.py");
        let run = folder.command("python3").arg(script).args(["archives", "out"]).args(more).output();
        let run = run.expect("Python is installed");
        (run.status.success(), printed(&run))
    };
    let platforms = [
        ("x86_64-unknown-linux-musl.tar.gz", 2),
        ("aarch64-unknown-linux-musl.tar.gz", 2),
        ("x86_64-apple-darwin.tar.gz", 2),
        ("aarch64-apple-darwin.tar.gz", 2),
        ("x86_64-pc-windows-msvc.zip", 1),
    ];
    let name = |platform: &str| format!("gpulint-{}-{platform}", env!("CARGO_PKG_VERSION"));
    for (platform, _) in &platforms[1..] {
        folder.write(&format!("archives/{}", name(platform)), platform);
    }
    let (done, text) = written(&["--downloads", "https://example.org/v1/"]);
    assert!(!done && text.contains(&format!("{} cannot be read: ", name(platforms[0].0))), "{text}");
    folder.write(&format!("archives/{}", name(platforms[0].0)), platforms[0].0);
    assert_eq!(written(&["--downloads", "https://example.org/v1/"]), (true, String::new()));
    let read = |file: &str| std::fs::read_to_string(folder.path().join("out").join(file)).unwrap();
    let both = read("gpulint.rb") + &read("recipe.yaml").replace(['"', ':'], "");
    for (platform, times) in platforms {
        let sum = folder.command("sha256sum").arg(format!("archives/{}", name(platform))).output().unwrap();
        let sum = printed(&sum).split(' ').next().unwrap().to_owned();
        assert_eq!(both.matches(&sum).count(), times, "{platform}: {both}");
        let address = format!("//example.org/v1/{}", name(platform));
        assert_eq!(both.matches(&address).count(), times, "{platform}: {both}");
    }
    let (done, text) = written(&[]);
    let unknown = env!("CARGO_PKG_REPOSITORY").contains("OWNER");
    assert!(done != unknown && (done || text.contains("write the address into `repository`")), "{text}");
}

#[test]
fn without_a_release_a_build_is_planned_and_kept() {
    let (project, action) = (project("plan"), action_copy("plan"));
    let plan =
        || -> Ran { Job::new(&project, &[]).without_binary().action_at(action.path()).run_until("plan") };
    let first = plan();
    assert_eq!(first.exit_code, 0, "{}", first.text);
    let outputs = &first.steps["plan"];
    assert_eq!(outputs["source"], "build");
    assert!(
        outputs["binary"].starts_with(project.path().join("runner temp").to_str().unwrap()),
        "{outputs:?}"
    );
    let key = |ran: &Ran| ran.steps["plan"]["cache-key"].clone();
    assert!(key(&first).starts_with("gpulint-Linux-X64-"), "{outputs:?}");
    assert_eq!(key(&plan()), key(&first));
    for file in ["crates/a/src/lib.rs", "rules/a.yaml", "src/main.rs", "Cargo.lock", "src/new.rs"] {
        let before = key(&plan());
        action.write(file, "changed\n");
        assert_ne!(key(&plan()), before, "{file}");
    }
    // Nothing that a build does not depend on.
    let before = key(&plan());
    action.write("README.md", "changed\n");
    assert_eq!(key(&plan()), before);
}

#[test]
fn without_a_compiler_the_way_out_is_said() {
    let (project, action) = (project("no-cargo"), action_copy("no-cargo"));
    let tools = Scratch::new("install-tools");
    for tool in ["bash", "sed", "head", "awk", "find", "sort", "cat"] {
        let found = Command::new("bash").args(["-c", &format!("command -v {tool}")]).output().unwrap();
        std::os::unix::fs::symlink(printed(&found).trim(), tools.path().join(tool)).unwrap();
    }
    let job = Job::new(&project, &[]).without_binary().action_at(action.path());
    let ran = job.env("PATH", tools.path().display().to_string()).run();
    assert_eq!(ran.exit_code, 2, "{}", ran.text);
    assert!(ran.text.contains("::error title=gpulint::cargo was not found."), "{}", ran.text);
    assert!(ran.text.contains("or name a binary with the input binary"), "{}", ran.text);
}

#[test]
fn build_step_builds() {
    if !slow_tests_wanted() {
        return;
    }
    let project = project("build");
    project.write("predict.py", WRONG);
    // A setting of the checked project that must not reach the build.
    project.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.0.0\"\n");
    let ran = Job::new(&project, &[]).without_binary().env("RUSTFLAGS", "--no-such-flag").run();
    assert_eq!(ran.exit_code, 1, "{}", ran.text);
    assert_eq!(ran.used.len(), 1, "the cache: {:?}", ran.used);
    let (_, cache) = &ran.used[0];
    assert_eq!(Some(Path::new(&cache["path"])), Path::new(&ran.steps["plan"]["binary"]).parent());
    let again = Job::new(&project, &[]).without_binary().run();
    assert!(again.text.contains("gpulint was built by an earlier run."), "{}", again.text);
}
