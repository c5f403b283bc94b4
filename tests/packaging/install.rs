//! How the action gets a gpulint: one that is given, a released one with a known checksum, or one that it builds.

use crate::composite::{Job, Ran};
use crate::scratch::{BINARY, REPOSITORY, RIGHT, Scratch, WRONG, printed, skipped, slow_tests_wanted};
use std::path::Path;
use std::process::Command;

const ARCHIVE: &str = concat!("gpulint-", env!("CARGO_PKG_VERSION"), "-x86_64-unknown-linux-musl.tar.gz");

/// The action in a folder of its own, as a runner downloads it, with little to compile.
fn action_copy(name: &str) -> Scratch {
    let copy = Scratch::new(&format!("install-{name}-action"));
    for file in ["Cargo.toml", "Cargo.lock", "packaging/checksums.txt"] {
        copy.write(file, &std::fs::read_to_string(Path::new(REPOSITORY).join(file)).unwrap());
    }
    for script in ["plan", "install", "check", "verdict"] {
        let file = format!("packaging/action/{script}.sh");
        copy.write(&file, "");
        std::fs::copy(Path::new(REPOSITORY).join(&file), copy.path().join(&file)).unwrap();
    }
    copy.write("src/main.rs", "fn main() {}\n");
    copy.write("rules/a.yaml", "id: a\n");
    copy
}

fn project(name: &str) -> Scratch {
    let project = Scratch::new(&format!("install-{name}"));
    project.git(&["init", "--quiet"]);
    project.write("train.py", RIGHT);
    project
}

/// The archive of a release with the binary under test, in a folder like that of all releases. Returns its checksum.
fn release(mirror: &Scratch) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let folder = ARCHIVE.trim_end_matches(".tar.gz");
    mirror.write(&format!("{folder}/README.md"), "");
    std::fs::copy(BINARY, mirror.path().join(folder).join("gpulint")).unwrap();
    mirror.write(&format!("v{version}/empty"), "");
    let archive = format!("v{version}/{ARCHIVE}");
    let packed = mirror.command("tar").args(["-czf", &archive, folder]).output().expect("tar is installed");
    assert!(packed.status.success(), "{}", printed(&packed));
    let sum = mirror.command("sha256sum").arg(&archive).output().expect("sha256sum is installed");
    printed(&sum).split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_release_is_downloaded_when_its_checksum_is_known() {
    if cfg!(not(target_os = "linux")) {
        return skipped("the archive is one for Linux");
    }
    let (project, action, mirror) =
        (project("download"), action_copy("download"), Scratch::new("install-mirror"));
    let checksum = release(&mirror);
    let other = "0".repeat(64);
    action
        .write("packaging/checksums.txt", &format!("# sums\n{other}  another.zip\n{checksum}  {ARCHIVE}\n"));
    let downloads = format!("file://{}", mirror.path().display());
    let run = || {
        let job = Job::new(&project, &[]).without_binary().action_at(action.path());
        job.env("GPULINT_DOWNLOADS", downloads.clone()).run()
    };
    let ran = run();
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    assert_eq!(ran.steps["plan"]["source"], "download");
    assert!(ran.used.is_empty(), "a download needs no cache: {:?}", ran.used);
    assert!(ran.text.contains(concat!("gpulint ", env!("CARGO_PKG_VERSION"))), "{}", ran.text);

    action.write("packaging/checksums.txt", &format!("{other}  {ARCHIVE}\n"));
    let ran = run();
    assert_eq!(ran.exit_code, 2, "{}", ran.text);
    let sentence =
        format!("has the SHA-256 {checksum}, and not {other} of packaging/checksums.txt; it was deleted");
    assert!(ran.text.contains(&sentence), "{}", ran.text);

    std::fs::remove_file(mirror.path().join(format!("v{}/{ARCHIVE}", env!("CARGO_PKG_VERSION")))).unwrap();
    let ran = run();
    assert!(ran.exit_code == 2 && ran.text.contains("cannot be downloaded"), "{}", ran.text);
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
    for file in ["rules/a.yaml", "src/main.rs", "Cargo.lock", "src/new.rs"] {
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
